#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "support/kit.hpp"

namespace xf::exercise {

// A training that has not begun.
struct TrainingRun {
  int words;                                  // it guesses among these many
  std::function<double(double rate)> update;  // one of Adam with this rate: the loss before it
};
using Maker = std::function<TrainingRun(std::uint64_t seed)>;

// The rate of update 1, 2, …: in equal steps up to the peak at update `warm_up`, then the peak.
// Without warm-up (0) the peak at once.
double rate(int update, int warm_up, double peak);

// The losses of this many updates, which are ten or more in every test.
std::vector<double> losses(const TrainingRun& training, int updates, int warm_up, double peak);

// Has it learned? The mean of the last ten losses is below half of what guessing costs. There are
// ten at least.
bool learned(const std::vector<double>& losses, int words);

// One training for each seed: the mean of the last ten losses of each, averaged over the seeds, and
// how many have learned.
struct Row {
  double last;
  int learned;
};
Row over_seeds(const Maker& make, const std::vector<std::uint64_t>& seeds, int updates, int warm_up,
               double peak);

// Your answer, as far as it is numbers.
struct Written {
  // How far the very first update of Adam moves a weight, in multiples of the rate, if its gradient
  // is 0.001; if it is 10. (eps is 0.)
  double step_of_small, step_of_large;
  // How far a weight moves in the first 40 updates if each moves it by the rate, in the same
  // direction, in multiples of the peak: without warm-up; with warm_up = 40.
  double way_without, way_with;
  // Which order needs the warm-up in the experiment?
  bool post_needs_it, pre_needs_it;
};
Written written();

}  // namespace xf::exercise
