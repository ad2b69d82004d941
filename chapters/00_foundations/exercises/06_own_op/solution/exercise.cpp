#include "exercise.hpp"

namespace xf::exercise {

Tensor distances(const Tensor& x, const Tensor& c) {
  if (x.rank() != 2 || c.rank() != 2 || x.size(1) != c.size(1))
    throw std::invalid_argument("distances: (N, D) and (K, D) wanted: x is " + x.shape().str() +
                                ", c is " + c.shape().str());
  const int n = x.size(0), k = c.size(0), d = x.size(1);
  const Values points = x.values(), centres = c.values();
  std::vector<float> sums(std::size_t(n * k), 0.0f);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < k; ++j)
      for (int e = 0; e < d; ++e) {
        const float way = points[i * d + e] - centres[j * d + e];
        sums[std::size_t(i * k + j)] += way * way;
      }
  const Tensor y = Tensor::from({n, k}, sums);
  return record("distances", y, {&x, &c}, [=](InputGradients& inputs, const Tensor& dy) {
    const Values up = dy.values();
    std::vector<float> dx(std::size_t(n * d), 0.0f), dc(std::size_t(k * d), 0.0f);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < k; ++j)
        for (int e = 0; e < d; ++e) {
          const float part = 2 * (points[i * d + e] - centres[j * d + e]) * up[i * k + j];
          dx[std::size_t(i * d + e)] += part;
          dc[std::size_t(j * d + e)] -= part;
        }
    if (inputs.wanted(0)) inputs.add(0, Tensor::from({n, d}, dx));
    if (inputs.wanted(1)) inputs.add(1, Tensor::from({k, d}, dc));
  });
}

double gradient_error(const std::function<Tensor(const Tensor&)>& op, const Tensor& x,
                      const Tensor& weights) {
  constexpr float h = 0.01f;
  const Tensor leaf = parameter(x.clone());
  Tape tape;
  const Gradients gradients = tape.backward(weighted_sum(op(leaf), weights));
  const Values by_tape = gradients.of(leaf).values();
  double worst = 0;
  for (std::ptrdiff_t i = 0; i < x.count(); ++i) {
    const auto loss = [&](float moved_by) {
      Tensor moved = detach(x).clone();
      copy_into(moved, {x.values()[i] + moved_by}, i);
      return double(weighted_sum(op(moved), weights).item());
    };
    worst = std::max(worst, std::abs(by_tape[i] - (loss(h) - loss(-h)) / (2 * h)));
  }
  return worst;
}

}  // namespace xf::exercise
