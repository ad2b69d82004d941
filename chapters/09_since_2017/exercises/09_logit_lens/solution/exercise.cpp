#include "exercise.hpp"

namespace xf::exercise {

Rows lens(const Rows& x, const Output& output) {
  Rows y = x;
  const std::size_t width = x.shape()[1];
  for (std::size_t t = 0; t < x.shape()[0]; ++t) {
    double squares = 0;
    for (std::size_t i = 0; i < width; ++i) squares += double(x(t, i)) * x(t, i);
    const double root = std::sqrt(squares / double(width) + output.eps);
    for (std::size_t i = 0; i < width; ++i) y(t, i) = float(output.gamma(i) * x(t, i) / root);
  }
  return xt::linalg::dot(y, xt::transpose(output.table));  // (T, V)
}

float mean_nats(const Rows& logits, const std::vector<int>& ids) {
  double nats = 0;
  const std::size_t words = logits.shape()[1], last = ids.size() - 1;
  for (std::size_t t = 0; t < last; ++t) {
    double largest = logits(t, 0), sum = 0;
    for (std::size_t v = 1; v < words; ++v) largest = std::max(largest, double(logits(t, v)));
    for (std::size_t v = 0; v < words; ++v) sum += std::exp(logits(t, v) - largest);
    nats += std::log(sum) + largest - logits(t, std::size_t(ids[t + 1]));
  }
  return static_cast<float>(nats / double(last));
}

// The token with the largest logit behind the last token of the text.
static int says(const Rows& logits) {
  const std::size_t last = logits.shape()[0] - 1;
  int best = 0;
  for (int v = 1; v < int(logits.shape()[1]); ++v)
    if (logits(last, std::size_t(v)) > logits(last, std::size_t(best))) best = v;
  return best;
}

int decided_at(const std::vector<Rows>& streams, const Output& output, int answer) {
  int first = static_cast<int>(streams.size());
  while (first > 0 && says(lens(streams[std::size_t(first - 1)], output)) == answer) --first;
  return first;
}

}  // namespace xf::exercise
