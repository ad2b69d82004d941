#include "exercise.hpp"

namespace xf::exercise {

float backward(Model& model, const xt::xtensor<float, 2>& x, const xt::xtensor<float, 1>& y) {
  const float rows = static_cast<float>(x.shape(0));
  float total = 0;
  for (std::size_t n = 0; n < x.shape(0); ++n) {
    const float error = xt::sum(xt::row(x, static_cast<int>(n)) * model.w)() + model.b - y(n);
    total += error * error;
    model.dw += 2 * error / rows * xt::row(x, static_cast<int>(n));
    model.db += 2 * error / rows;
  }
  return total / rows;
}

std::vector<float> train(Model& model, const xt::xtensor<float, 2>& x,
                         const xt::xtensor<float, 1>& y, int epochs, int batch, float rate) {
  const int rows = static_cast<int>(x.shape(0));
  std::vector<float> losses;
  for (int epoch = 0; epoch < epochs; ++epoch) {
    float total = 0;
    for (int first = 0; first < rows; first += batch) {
      const int last = std::min(first + batch, rows);
      model.dw.fill(0);
      model.db = 0;
      const float loss = backward(model, xt::view(x, xt::range(first, last), xt::all()),
                                  xt::view(y, xt::range(first, last)));
      total += loss * static_cast<float>(last - first);
      model.w -= rate * model.dw;
      model.b -= rate * model.db;
    }
    losses.push_back(total / static_cast<float>(rows));
  }
  return losses;
}

}  // namespace xf::exercise
