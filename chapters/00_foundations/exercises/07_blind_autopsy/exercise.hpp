#pragma once

#include <functional>
#include <vector>

#include "support/kit.hpp"

namespace xf::exercise {

using Matrix = xt::xtensor<float, 2>;

// The parts of a program that trains a classifier: logits = x w^T, x (N, D), w (V, D). Either all
// of its five parts are right, or one of them is faulty.
struct Build {
  // The mean over the rows of -log softmax(logits)[target].   logits: (N, V)   targets: N, 0 … V-1
  std::function<double(const Matrix& logits, const std::vector<int>& targets)> loss;
  // The gradient of the loss with respect to the logits.   returns (N, V)
  std::function<Matrix(const Matrix& logits, const std::vector<int>& targets)> loss_gradient;
  // The gradient with respect to w of a loss whose gradient with respect to the logits is dlogits,
  // (N, V).   x: (N, D)   returns (V, D)
  std::function<Matrix(const Matrix& x, const Matrix& dlogits)> weight_gradient;
  // velocity <- 0.9 velocity + gradient, then w <- w - rate velocity. Both are changed.
  std::function<void(Matrix& w, Matrix& velocity, const Matrix& gradient, float rate)> step;
  // The examples in each batch of an epoch. Each of the `examples` is in exactly one batch. A batch
  // has `size` examples, the last one those left over. The order differs from epoch to epoch.
  std::function<std::vector<std::vector<int>>(int examples, int size, int epoch)> batches;
};

// Your tests, one for each part: does it do what its comment above says? Correct parts may differ
// in rounding, by a relative error of up to 1e-5, and in the order of the examples.
bool loss_is_right(const Build& build);
bool loss_gradient_is_right(const Build& build);
bool weight_gradient_is_right(const Build& build);
bool step_is_right(const Build& build);
bool batches_are_right(const Build& build);

// Trains a classifier of 90 points in three groups with the build. Returns the losses of ten
// epochs.
inline std::vector<double> train(const Build& build) {
  Random random(7);
  Matrix x = xt::zeros<float>({90, 3});
  std::vector<int> y;
  for (std::size_t n = 0; n < 90; ++n) {
    y.push_back(int(n % 3));
    x(n, 0) = 1;
    x(n, 1) = float(random.normal() + (y[n] == 1 ? 3 : 0));
    x(n, 2) = float(random.normal() + (y[n] == 2 ? 3 : 0));
  }
  Matrix w = xt::zeros<float>({3, 3}), velocity = xt::zeros<float>({3, 3});
  std::vector<double> losses;
  for (int epoch = 0; epoch < 10; ++epoch) {
    double total = 0;
    const std::vector<std::vector<int>> batches = build.batches(90, 16, epoch);
    for (const std::vector<int>& batch : batches) {
      Matrix points = xt::zeros<float>({batch.size(), std::size_t(3)});
      std::vector<int> answers;
      for (std::size_t i = 0; i < batch.size(); ++i) {
        for (std::size_t c = 0; c < 3; ++c) points(i, c) = x(std::size_t(batch[i]), c);
        answers.push_back(y[std::size_t(batch[i])]);
      }
      const Matrix logits = xt::linalg::dot(points, xt::transpose(w));
      total += build.loss(logits, answers) / double(batches.size());
      const Matrix gradient = build.weight_gradient(points, build.loss_gradient(logits, answers));
      build.step(w, velocity, gradient, 0.1f);
    }
    losses.push_back(total);
  }
  return losses;
}

}  // namespace xf::exercise
