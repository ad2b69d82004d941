#include "nn/init.hpp"

namespace xf {

namespace {

template <class Draw>
Tensor filled(const Shape& shape, const Random& random, Draw draw) {
  if (!random.draws()) return parameter(Tensor::empty(shape));
  std::vector<float> numbers(static_cast<std::size_t>(shape.count()));
  for (float& number : numbers) number = static_cast<float>(draw());
  return parameter(Tensor::from(shape, numbers));
}

}  // namespace

Tensor xavier_uniform(int out, int in, Random& random) {
  const double bound = std::sqrt(6.0 / (in + out));
  return filled({out, in}, random, [&] { return random.uniform(-bound, bound); });
}

Tensor normal(const Shape& shape, double deviation, Random& random) {
  return filled(shape, random, [&] { return deviation * random.normal(); });
}

Tensor constant(const Shape& shape, float value) { return parameter(Tensor::full(shape, value)); }

}  // namespace xf
