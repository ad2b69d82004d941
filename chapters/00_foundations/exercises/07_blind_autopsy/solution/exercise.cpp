#include "exercise.hpp"

#include <set>

namespace xf::exercise {

static bool near(double a, double b) { return std::abs(a - b) <= 1e-4 * (1 + std::abs(b)); }

static bool near(const Matrix& a, const Matrix& b) {
  if (a.shape() != b.shape()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!near(a.data()[i], b.data()[i])) return false;
  return true;
}

// What -log softmax is for one row, in double.
static double surprise(const Matrix& logits, std::size_t row, int target) {
  double largest = logits(row, 0), total = 0;
  for (std::size_t c = 0; c < logits.shape(1); ++c)
    largest = std::max<double>(largest, logits(row, c));
  for (std::size_t c = 0; c < logits.shape(1); ++c) total += std::exp(logits(row, c) - largest);
  return largest + std::log(total) - logits(row, std::size_t(target));
}

static const Matrix some_logits = {{1, -2, 0.5f, 3}, {0, 1, 2, -1}, {-1, 0.5f, 0, 0}};
static const Matrix large_logits = {{1000, 0, 10}, {0, -1000, 500}};

bool loss_is_right(const Build& build) {
  const double some =
      (surprise(some_logits, 0, 1) + surprise(some_logits, 1, 0) + surprise(some_logits, 2, 3)) / 3;
  return near(build.loss(some_logits, {1, 0, 3}), some) &&
         near(build.loss(large_logits, {0, 1}), 750);
}

bool loss_gradient_is_right(const Build& build) {
  const auto wanted = [](const Matrix& logits, const std::vector<int>& targets) {
    Matrix gradient = logits;
    for (std::size_t n = 0; n < targets.size(); ++n)
      for (std::size_t c = 0; c < logits.shape(1); ++c) {
        const double p = std::exp(-surprise(logits, n, int(c)));
        gradient(n, c) = float((p - (int(c) == targets[n])) / double(targets.size()));
      }
    return gradient;
  };
  return near(build.loss_gradient(some_logits, {1, 0, 3}), wanted(some_logits, {1, 0, 3})) &&
         near(build.loss_gradient(large_logits, {0, 1}), wanted(large_logits, {0, 1}));
}

bool weight_gradient_is_right(const Build& build) {
  const Matrix x = {{1, 2, -1}, {0.5f, -3, 2}, {4, 0, 1}, {-2, 1, 3}};
  const Matrix up = {{0.1f, -0.3f}, {0.5f, 0.2f}, {-0.7f, 0.4f}, {0.6f, -0.1f}};
  Matrix wanted = xt::zeros<float>({2, 3});
  for (std::size_t n = 0; n < 4; ++n)
    for (std::size_t c = 0; c < 2; ++c)
      for (std::size_t d = 0; d < 3; ++d) wanted(c, d) += up(n, c) * x(n, d);
  return near(build.weight_gradient(x, up), wanted);
}

bool step_is_right(const Build& build) {
  Matrix w = {{1, -1}, {2, 0.5f}}, velocity = {{0.2f, 0}, {-0.4f, 1}};
  const Matrix gradient = {{0.5f, -2}, {1, 0.3f}};
  build.step(w, velocity, gradient, 0.1f);
  const Matrix moved = {{0.932f, -0.8f}, {1.936f, 0.38f}}, faster = {{0.68f, -2}, {0.64f, 1.2f}};
  return near(velocity, faster) && near(w, moved);
}

bool batches_are_right(const Build& build) {
  std::set<std::vector<int>> orders;
  for (int epoch = 0; epoch < 3; ++epoch) {
    const std::vector<std::vector<int>> batches = build.batches(22, 4, epoch);
    if (batches.size() != 6) return false;
    std::vector<int> order;
    for (std::size_t b = 0; b < batches.size(); ++b) {
      if (batches[b].size() != (b < 5 ? 4 : 2)) return false;
      order.insert(order.end(), batches[b].begin(), batches[b].end());
    }
    const std::set<int> once(order.begin(), order.end());
    if (once.size() != 22 || *once.begin() != 0 || *once.rbegin() != 21) return false;
    orders.insert(order);
  }
  return orders.size() == 3;
}

}  // namespace xf::exercise
