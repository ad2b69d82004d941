#include "exercise.hpp"

namespace xf::exercise {

double error_after(const NextWord& next, const std::vector<Sentence>& sentences, int own) {
  double wrong = 0, all = 0;
  for (const Sentence& sentence : sentences)
    for (int t = own + 1; t < static_cast<int>(sentence.size()); ++t) {
      Sentence words(sentence.begin(), sentence.begin() + (t - own));
      for (int written = 0; written < own; ++written) words.push_back(next(words));
      wrong += next(words) != sentence[t];
      all += 1;
    }
  return all > 0 ? wrong / all : 0;
}

double error_alone(const NextWord& next, const std::vector<Sentence>& sentences) {
  double wrong = 0, all = 0;
  for (const Sentence& sentence : sentences) {
    Sentence words = {bos};
    for (std::size_t t = 1; t < sentence.size(); ++t) {
      words.push_back(next(words));
      wrong += words[t] != sentence[t];
      all += 1;
    }
  }
  return wrong / all;
}

Sentence scheduled(const NextWord& next, const Sentence& sentence, double share,
                   const std::function<double(int)>& draw) {
  Sentence read = {bos};
  for (int t = 1; t + 1 < static_cast<int>(sentence.size()); ++t) {
    const bool own = draw(t) < share;
    read.push_back(own ? next(read) : sentence[t]);
  }
  return read;
}

}  // namespace xf::exercise
