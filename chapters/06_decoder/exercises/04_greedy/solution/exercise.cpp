#include "exercise.hpp"

namespace xf::exercise {

static int best_word(const xt::xtensor<float, 2>& scores, std::size_t b) {
  int best = eos;
  for (int v = eos; v < static_cast<int>(scores.shape(1)); ++v)
    if (scores(b, v) > scores(b, best)) best = v;
  return best;
}

std::vector<std::vector<int>> greedy(const Decoder& decoder, int batch, int limit) {
  const std::size_t rows = static_cast<std::size_t>(batch);
  std::vector<std::vector<int>> sentences(rows);
  std::vector<bool> finished(rows, false);
  Ids words = Ids::full({batch, 1}, bos);
  for (int t = 0; t < limit && std::count(finished.begin(), finished.end(), false) > 0; ++t) {
    const xt::xtensor<float, 2> scores = decoder(words);
    Ids longer = Ids::full({batch, t + 2}, pad);
    for (std::size_t b = 0; b < rows; ++b) {
      const int row = static_cast<int>(b);
      std::copy_n(words.begin() + row * (t + 1), t + 1, longer.begin() + row * (t + 2));
      if (finished[b]) continue;
      const int word = best_word(scores, b);
      longer[row * (t + 2) + t + 1] = word;
      finished[b] = word == eos;
      if (word != eos) sentences[b].push_back(word);
    }
    words = longer;
  }
  return sentences;
}

}  // namespace xf::exercise
