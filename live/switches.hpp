#pragma once

#include <vector>

#include "07_transformer/transformer.hpp"
#include "live/fields.hpp"

namespace xf::live {

enum class Attention { encoder, decoder, cross };

// Parts of a trained translator that are left out, to see what breaks.
struct Switches {
  struct Head {
    Attention attention;
    int layer, number;  // from 0
  };
  std::vector<Head> heads_off;
  bool scale = true;      // false: the scores are not divided by sqrt(d_k)
  bool positions = true;  // false: the embeddings alone
  bool mask = true;       // false: the decoder sees what comes later, where there is any
  bool residual = true;   // false: f(x) instead of x + f(x), with its norm

  // {"heads_off": [["cross", 1, 3], ...], "scale": false, ...}; what is not there is on.
  // Throws UserError, also for a head that the model does not have.
  static Switches read(Fields fields, const TransformerConfig& config);
};

// The model as the switches have it; it shares the weights that are the same. Positions, mask and
// residual are options of the model; two parts are left out by weights:
//   a head     its columns of w_o are 0, so that nothing of it is passed on
//   scale      w_q times sqrt(d_k), so that softmax(q k^T / sqrt(d_k)) is that of the bare product
Transformer switched(const Transformer& model, const Switches& switches);

}  // namespace xf::live
