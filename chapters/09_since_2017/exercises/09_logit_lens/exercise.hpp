#pragma once

#include "support/kit.hpp"

namespace xf::exercise {

using Rows = xt::xtensor<float, 2>;
using Numbers = xt::xtensor<float, 1>;

// What a model does behind its last layer: y = RmsNorm(x), logits = y table^T.
struct Output {
  Numbers gamma;  // (D)
  float eps;
  Rows table;  // (V, D), a row for each token
};

// What the model would say if it ended here: the logits of a stream of states behind any layer.
//   x: (T, D)   returns (T, V)                                          nostalgebraist 2020
Rows lens(const Rows& x, const Output& output);

// The mean of -log p(ids[t + 1]) over t = 0 ... T - 2: what the next tokens cost, in nats.
//   logits: (T, V)   ids: T of them
float mean_nats(const Rows& logits, const std::vector<int>& ids);

// The first stream from which on the lens says `answer` behind the last token, in it and in all
// later ones; the number of streams where the last one does not say it.
//   streams: before the first layer, behind it, and so on, (T, D) each
int decided_at(const std::vector<Rows>& streams, const Output& output, int answer);

}  // namespace xf::exercise
