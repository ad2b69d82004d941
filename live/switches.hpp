#pragma once

#include <vector>

#include "07_transformer/program/translator.hpp"
#include "07_transformer/search_rules.hpp"
#include "live/fields.hpp"

namespace xf::live {

enum class Attention { encoder, decoder, cross };

// The parts of a trained translator to leave out, to see what breaks.
struct Switches {
  struct Head {
    Attention attention;
    int layer, number;  // from 0
  };
  std::vector<Head> heads_off;
  bool scale = true;      // false: the scores are not divided by sqrt(d_k)
  bool positions = true;  // false: embeddings without positions
  bool mask = true;       // false: the decoder sees later positions, if there are any
  bool residual = true;   // false: f(x) instead of x + f(x), with its norm
};

// The subject of a request: a translator, and the parts its training left out.
struct Subject {
  const Translator& translator;
  Switches trained = {};

  // {"heads_off": [["cross", 1, 3], ...], "scale": false, ...}; missing members default to the
  // training's. Throws UserError, also for a head that the model does not have.
  Switches switches(Fields fields) const;
};

// The model with the switches applied; unchanged weights are shared. Some parts are left out by
// changing weights and options:
//   a head       its columns of w_o are 0, so that it contributes nothing
//   scale        w_q times sqrt(d_k), so that softmax(q k^T / sqrt(d_k)) uses the bare product
//   positions    PositionKind::none
// The others by calling its layers differently.
struct SwitchedModel {
  Transformer model;
  bool mask, residual;

  SwitchedModel(const Transformer& whole, const Switches& switches);

  // As in Transformer.
  Tensor encode(const Sentences& source) const;
  Tensor operator()(const Sentences& source, const Sentences& target) const;
  // The same search; if a part that a cache relies on is missing, each step is recomputed.
  std::vector<Hypothesis> translate(const Ids& source, const SearchOptions& options,
                                    const SearchObserver& observer = {}) const;
};

}  // namespace xf::live
