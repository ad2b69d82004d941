#include "exercise.hpp"

namespace xf::exercise {

Cost cost(int t, int d) {
  const double words = t, width = d;
  return {4 * words * width * width, 2 * words * words * width};
}

double crossing(int d) { return 2.0 * d; }

Power fit(const std::vector<double>& sizes, const std::vector<double>& costs) {
  const double n = static_cast<double>(sizes.size());
  double mean_x = 0, mean_y = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    mean_x += std::log(sizes[i]) / n;
    mean_y += std::log(costs[i]) / n;
  }
  double xy = 0, xx = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const double dx = std::log(sizes[i]) - mean_x;
    xy += dx * (std::log(costs[i]) - mean_y);
    xx += dx * dx;
  }
  const double exponent = xy / xx;
  return {std::exp(mean_y - exponent * mean_x), exponent};
}

double seconds(const std::function<void()>& work, const Clock& clock, int repeats) {
  work();
  double smallest = 1e300;
  for (int i = 0; i < repeats; ++i) {
    const double start = clock();
    work();
    smallest = std::min(smallest, clock() - start);
  }
  return smallest;
}

double measured(const std::function<void(int)>& work, const std::vector<int>& sizes,
                const Clock& clock, int repeats) {
  std::vector<double> lengths, times;
  for (int size : sizes) {
    lengths.push_back(size);
    times.push_back(seconds([&] { work(size); }, clock, repeats));
  }
  return fit(lengths, times).exponent;
}

}  // namespace xf::exercise
