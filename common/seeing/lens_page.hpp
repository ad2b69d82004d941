#pragma once

#include <string>
#include <utility>
#include <vector>

namespace xf {

// What a model would predict if it ended after a certain layer: the final norm and the output
// projection, applied to the residual stream there. The logit lens (nostalgebraist 2020).
struct LensLayer {
  // For each position: the likeliest next tokens with their probabilities, in descending order.
  std::vector<std::vector<std::pair<std::string, double>>> says;
  std::vector<double> next;  // p of the actual next token, for T - 1 positions
  double nats = 0;           // the mean of -log p
  double norm_first = 0;     // the norm of the stream at the first token,
  double norm_rest = 0;      // and its median over the others
  // The feature that is largest on average over all tokens but the first: its index, the mean of
  // |x|, and its ratio to that of the median feature.
  int feature = 0;
  double feature_size = 0, feature_times = 0;
};

struct LensPage {
  std::string title;
  std::vector<std::string> tokens;  // of the text, T of them
  std::vector<LensLayer> layers;    // before the first layer and after each one: L + 1
};

// A single-file page: the text coloured by the probability of each token, the words that each layer
// would predict, and the norm of the stream by layer. Throws std::invalid_argument when the counts
// do not agree.
std::string lens_html(const LensPage& page);

}  // namespace xf
