#pragma once

#include "09_since_2017/token_choice.hpp"
#include "live/fields.hpp"
#include "live/switches.hpp"

namespace xf::live {

// Options for decoding a translation.
struct WritingOptions {
  int beam = 1;
  std::optional<TokenChoice> choice;  // shows at each step what is sampled from
  std::optional<std::uint64_t> seed;  // samples each token, instead of searching

  // {"beam": 1, "choice": {"temperature": 1, "top_k": 0, "top_p": 1}, "seed": 7}; nothing is
  // sampled without "seed", or shown without "choice". A seed needs a choice and excludes a beam.
  static WritingOptions read(Fields& request);
};

// A translation as it was decoded.
struct Written {
  std::vector<int> tokens;  // with <eos> if it ended
  int cut_from = 0;         // its length before the cut, if it hit its limit
  Json search = {};         // the candidates of beam search by step, as in the explorer; else null
};
// An endless translation is cut to the length of the source, but at least 15 tokens: the rest is
// mostly repetition.   source: (1, S)
Written write(const SwitchedModel& model, const Ids& source, const WritingOptions& how,
              const Tokenizer& tokenizer);

// The likeliest tokens of a step, best first: [{"token", "probability"}]; with a choice, only
// tokens that may be written, with "tempered", the probability at its temperature, and "kept", what
// is left of it, 0 if cut by top-k or top-p.   log_p: (1, 1, V)
Json candidates(const Tensor& log_p, const WritingOptions& how, const Tokenizer& tokenizer);

}  // namespace xf::live
