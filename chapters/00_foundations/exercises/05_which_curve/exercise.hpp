#pragma once

#include <algorithm>
#include <cstdio>
#include <vector>

#include "support/kit.hpp"

namespace xf::exercise {

// The losses of a training run: one before the first step, and one after each epoch.
struct Curves {
  std::vector<double> train, valid;
};

// What was changed in the training run of a classifier.
enum class Run {
  healthy,
  rate_too_small,
  rate_too_large,
  few_examples,      // 40 for 30 inputs, so the model memorises them
  shuffled_targets,  // each example has the answer of another example
};

// Which run is which? There are five, one of each kind, in any order. Only the curves are
// known, and that the loss of guessing is ln(classes).
std::vector<Run> which(const std::vector<Curves>& runs, int classes);

// Prints both curves, t for training, v for validation, * where they meet; ./learn try shows it.
inline void plot(const Curves& run, double top = 4) {
  constexpr int rows = 12, columns = 60;
  const std::size_t epochs = run.train.size();
  for (int row = rows; row >= 0; --row) {
    std::printf("%5.2f |", row * top / rows);
    for (int column = 0; column < columns; ++column) {
      const std::size_t at = std::size_t(column) * (epochs - 1) / (columns - 1);
      const auto here = [&](double loss) {
        return std::lround(std::min(loss, top) / top * rows) == row;
      };
      const bool t = here(run.train[at]), v = here(run.valid[at]);
      std::printf("%c", t && v ? '*' : t ? 't' : v ? 'v' : ' ');
    }
    std::printf("\n");
  }
}

}  // namespace xf::exercise
