#pragma once

#include <functional>
#include <vector>

#include "support/kit.hpp"

namespace xf::exercise {

// The multiply-adds of self-attention for one sentence of t words with one head.
struct Cost {
  double projections;  // x W_Q, x W_K, x W_V and the output's W_O: x is (t, d), each W (d, d)
  double square;       // q k^T and a v, each with all t keys
};
Cost cost(int t, int d);

// The length of a sentence at which both parts cost the same.
double crossing(int d);

// The line through the logarithms: log(cost) = log(factor) + exponent log(size), with the smallest
// sum of squared differences.   sizes, costs: n >= 2 positive numbers each
struct Power {
  double factor, exponent;
};
Power fit(const std::vector<double>& sizes, const std::vector<double>& costs);

// How many seconds `work` takes. It is run once without the clock and then `repeats` times, each
// run timed separately; the smallest time counts.   clock(): seconds since some moment
using Clock = std::function<double()>;
double seconds(const std::function<void()>& work, const Clock& clock, int repeats);

// The exponent of the time that `work` takes for these sizes, each measured as above.
double measured(const std::function<void(int)>& work, const std::vector<int>& sizes,
                const Clock& clock, int repeats);

}  // namespace xf::exercise
