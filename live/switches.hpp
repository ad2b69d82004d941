#pragma once

#include <vector>

#include "07_transformer/program/translator.hpp"
#include "07_transformer/search_rules.hpp"
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
};

// What a request is about: a translator, and the parts that its training left out.
struct Subject {
  const Translator& translator;
  Switches trained = {};

  // {"heads_off": [["cross", 1, 3], ...], "scale": false, ...}; what is not there is as in
  // training. Throws UserError, also for a head that the model does not have.
  Switches switches(Fields fields) const;
};

// The model as the switches have it; it shares the weights that are the same. Some parts are left
// out by its weights and options:
//   a head       its columns of w_o are 0, so that nothing of it is passed on
//   scale        w_q times sqrt(d_k), so that softmax(q k^T / sqrt(d_k)) is that of the bare
//   product positions    PositionKind::none
// The others by calling its layers in another way.
struct SwitchedModel {
  Transformer model;
  bool mask, residual;

  SwitchedModel(const Transformer& whole, const Switches& switches);

  // As those of the model.
  Tensor encode(const Sentences& source) const;
  Tensor operator()(const Sentences& source, const Sentences& target) const;
  // The same search; where a part is missing that a cache relies on, each step is computed anew.
  std::vector<Hypothesis> translate(const Ids& source, const SearchOptions& options,
                                    const SearchObserver& observer = {}) const;
};

}  // namespace xf::live
