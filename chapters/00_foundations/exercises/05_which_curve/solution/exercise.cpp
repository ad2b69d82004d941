#include "exercise.hpp"

namespace xf::exercise {

std::vector<Run> which(const std::vector<Curves>& runs, int classes) {
  const double guessing = std::log(double(classes));
  std::vector<Run> found;
  for (const Curves& run : runs) {
    const double first = run.train.front(), last = run.train.back();
    const double highest = *std::max_element(run.train.begin(), run.train.end());
    const double best = *std::min_element(run.valid.begin(), run.valid.end());
    if (highest > 1.2 * first)
      found.push_back(Run::rate_too_large);
    else if (last > 0.97 * first)
      found.push_back(Run::rate_too_small);
    else if (run.valid.back() > last + 1)
      found.push_back(Run::few_examples);
    else if (best > 0.87 * guessing)
      found.push_back(Run::shuffled_targets);
    else
      found.push_back(Run::healthy);
  }
  return found;
}

}  // namespace xf::exercise
