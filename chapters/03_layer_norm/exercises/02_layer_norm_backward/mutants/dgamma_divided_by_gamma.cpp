// en: g was divided by gamma: the forward multiplied by it, and so does the backward
// zh: g 除以了 gamma：前向是乘，反向也是乘

#include "exercise.hpp"

namespace xf::exercise {

NormGradients layer_norm_backward(const Tensor& x, const Tensor& gamma, const Tensor& dy,
                                  float eps) {
  const int rows = x.size(0), columns = x.size(1);
  const float features = static_cast<float>(columns);
  NormGradients out = {Tensor::empty(x.shape()), Tensor::zeros({columns}),
                       Tensor::zeros({columns})};
  std::vector<float> n(columns), g(columns);
  for (int row = 0; row < rows; ++row) {
    const float* from = x.data(Cpu{}) + row * columns;
    const float* up = dy.data(Cpu{}) + row * columns;
    float mean = 0, variance = 0, mean_g = 0, mean_gn = 0;
    for (int j = 0; j < columns; ++j) mean += from[j] / features;
    for (int j = 0; j < columns; ++j) variance += (from[j] - mean) * (from[j] - mean) / features;
    const float sigma = std::sqrt(variance + eps);
    for (int j = 0; j < columns; ++j) {
      n[j] = (from[j] - mean) / sigma;
      g[j] = up[j] / gamma.data(Cpu{})[j];
      mean_g += g[j] / features;
      mean_gn += g[j] * n[j] / features;
      out.dgamma.data(Cpu{})[j] += up[j] * n[j];
      out.dbeta.data(Cpu{})[j] += up[j];
    }
    for (int j = 0; j < columns; ++j)
      out.dx.data(Cpu{})[row * columns + j] = (g[j] - mean_g - n[j] * mean_gn) / sigma;
  }
  return out;
}

}  // namespace xf::exercise
