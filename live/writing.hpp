#pragma once

#include "09_since_2017/token_choice.hpp"
#include "live/fields.hpp"
#include "live/switches.hpp"

namespace xf::live {

// How a translation is written.
struct WritingOptions {
  int beam = 1;
  std::optional<TokenChoice> choice;  // what a draw would choose from is shown at each step
  std::optional<std::uint64_t> seed;  // with it each token is drawn, instead of searched for

  // {"beam": 1, "choice": {"temperature": 1, "top_k": 0, "top_p": 1}, "seed": 7}; without "seed"
  // nothing is drawn, without "choice" nothing of it is shown. A seed wants a choice and no beam.
  static WritingOptions read(Fields& request);
};

// What was written.
struct Written {
  std::vector<int> tokens;  // with <eos> where it ended
  int cut_from = 0;         // how many there were, where it went on to its limit
  Json search = {};         // by step what a beam weighed, as the explorer has it; else null
};
// Where it never ends, as many tokens as the source has, but at least 15: the rest mostly repeats
// them.   source: (1, S)
Written write(const SwitchedModel& model, const Ids& source, const WritingOptions& how,
              const Tokenizer& tokenizer);

// The likeliest tokens of a step, best first: [{"token", "probability"}]; with a choice, among
// those that may be written, also "tempered", the probability at its temperature, and "kept", what
// is left of it, 0 for what top-k or top-p cuts.   log_p: (1, 1, V)
Json candidates(const Tensor& log_p, const WritingOptions& how, const Tokenizer& tokenizer);

}  // namespace xf::live
