#include "exercise.hpp"

namespace xf::exercise {

std::vector<double> losses(const Model& model, const std::vector<int>& text) {
  const int count = static_cast<int>(text.size()) - 1;
  std::vector<double> all;
  State state;
  for (int first = 0; first < count; first += model.segment) {
    const auto begin = text.begin() + first;
    const int length = std::min(model.segment, count - first);
    const std::vector<int> inputs(begin, begin + length), targets(begin + 1, begin + length + 1);
    const Step step = model.read(inputs, targets, state);
    all.insert(all.end(), step.losses.begin(), step.losses.end());
    state = step.state;
  }
  return all;
}

std::vector<double> influence(const Model& model, const std::vector<int>& text, int at,
                              int furthest, int words) {
  const double usual = losses(model, text)[at];
  std::vector<double> changes;
  for (int d = 0; d <= furthest; ++d) {
    std::vector<int> changed = text;
    changed[at - d] = (text[at - d] + 1) % words;
    changes.push_back(std::abs(losses(model, changed)[at] - usual));
  }
  return changes;
}

int reach(const std::vector<double>& influences, double share) {
  const double largest = *std::max_element(influences.begin(), influences.end());
  int furthest = -1;
  for (std::size_t d = 0; d < influences.size(); ++d)
    if (influences[d] > share * largest) furthest = static_cast<int>(d);
  return furthest;
}

/* Answer: From d = 12 on, tokens 15 to 18. Layer 2 reads the states of 23 to 30 of layer 1. Only
   one of these, that of 23, was made with tokens 15 to 18, and it spread its weights over nine
   tokens. Nearer tokens come through several states, those of d = 0 to 7 also directly. */
int possible(int at, const Model& model) {
  int first = at;
  for (int layer = 0; layer < model.layers; ++layer) {
    const int segment_begins = first / model.segment * model.segment;
    first = std::max(0, segment_begins - model.memory);
  }
  return at - first;
}

}  // namespace xf::exercise
