#pragma once

#include <functional>
#include <vector>

#include "03_layer_norm/residual.hpp"
#include "support/kit.hpp"

namespace xf::exercise {

using Matrix = xt::xtensor<float, 2>;
using Layer = std::function<Matrix(const Matrix&)>;  // (S, D) to (S, D)

// The parts of one encoder layer; each has weights of its own.
struct EncoderParts {
  Layer attention, norm_1;     // self-attention, and the norm of its block
  Layer feed_forward, norm_2;  // the feed-forward network, and the norm of its block
};

// Two residual blocks, that of the attention and that of the feed-forward network.
// NormOrder::post normalises each sum, NormOrder::pre what each sub-layer reads.
//   x: (S, D)   returns z (S, D)
Matrix encoder_layer(const Matrix& x, const EncoderParts& layer, NormOrder order);

// One layer after the other; with NormOrder::pre one more norm at the end.
//   x: (S, D)   returns (S, D)
Matrix encoder(const Matrix& x, const std::vector<EncoderParts>& layers, const Layer& final_norm,
               NormOrder order);

}  // namespace xf::exercise
