#pragma once

#include <array>
#include <string>
#include <vector>

#include "text/bleu_tokens.hpp"

namespace xf {

// BLEU of a corpus (Papineni et al. 2002) with the details that sacreBLEU prints.
struct Bleu {
  double score = 0;                    // 0 .. 100
  std::array<double, 4> precisions{};  // of 1- to 4-grams, in percent
  double brevity_penalty = 1;
  long hypothesis_length = 0, reference_length = 0;
  std::string signature;  // "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:xf-1.0"

  // "BLEU = 41.02 71.0/47.5/34.3/24.5 (BP = 0.999 ratio = 0.999 hyp_len = 12096 ref_len = 12103)"
  std::string str() const;
};

//   BLEU = BP * exp(1/4 sum_n log p_n)
//   BP   = min(1, exp(1 - reference length / hypothesis length))
// p_n = the share of the hypotheses' n-grams that occur in their reference, each counted at most as
// often as there. The k-th p_n that is 0 becomes 1 / (2^k * number of n-grams) ("exp" smoothing).
// Agrees with sacreBLEU 2.x. Throws std::invalid_argument for no sentences, or for unequal numbers.
Bleu bleu(const std::vector<std::string>& hypotheses, const std::vector<std::string>& references,
          const BleuOptions& options = {});

}  // namespace xf
