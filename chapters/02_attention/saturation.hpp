#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "ops/reduce/reduce.hpp"
#include "ops/softmax/softmax.hpp"
#include "tensor/portable_math.hpp"

namespace xf {

// What softmax does to rows of scores, and how much of a gradient its backward pass lets through:
//   w = softmax(s)   ds_j = w_j (dw_j - sum_k w_k dw_k)
// Where one w is near 1 and the others near 0, ds is near 0: the softmax is saturated.
struct Saturation {
  double deviation = 0;  // root mean square of the scores, whose mean is 0
  double entropy = 0;    // mean over the rows, in nats
  double largest = 0;    // mean of the largest weight
  double gradient = 0;   // mean norm of ds
  double median = 0;     // the median of these norms
  double steepest = 0;   // largest |ds_j|

  // scores: (T, S), already scaled or not   upstream: (T, S), dw
  static Saturation of(const Tensor& scores, const Tensor& upstream) {
    Tape tape;
    const Tensor input = parameter(scores.clone());
    const Tensor weights = softmax(input);
    const Gradients gradients = tape.backward(weighted_sum(weights, upstream));
    const Tensor& d_input = gradients.of(input);
    const int rows = scores.size(0), columns = scores.size(1);
    Saturation found;
    double squares = 0;
    std::vector<double> norms;
    for (int t = 0; t < rows; ++t) {
      double entropy = 0, largest = 0, norm = 0;
      for (int s = 0; s < columns; ++s) {
        const double w = weights.values()[t * columns + s], d = d_input.values()[t * columns + s];
        entropy -= w > 0 ? w * portable::log(w) : 0;
        largest = std::max(largest, w);
        norm += d * d;
        squares += portable::square(scores.values()[t * columns + s]);
        found.steepest = std::max(found.steepest, std::abs(d));
      }
      found.entropy += entropy / rows;
      found.largest += largest / rows;
      found.gradient += std::sqrt(norm) / rows;
      norms.push_back(std::sqrt(norm));
    }
    std::nth_element(norms.begin(), norms.begin() + rows / 2, norms.end());
    found.median = norms[static_cast<std::size_t>(rows) / 2];
    found.deviation = std::sqrt(squares / double(scores.count()));
    return found;
  }
};

}  // namespace xf
