#include "exercise.hpp"

namespace xf::exercise {

using Matrix = xt::xtensor<float, 2>;

static Matrix softmax_of_rows(const Matrix& scores) {
  Matrix a = scores;
  for (std::size_t i = 0; i < a.shape(0); ++i) {
    const float largest = xt::amax(xt::row(scores, i))();
    float total = 0;
    for (std::size_t j = 0; j < a.shape(1); ++j) total += a(i, j) = std::exp(a(i, j) - largest);
    for (std::size_t j = 0; j < a.shape(1); ++j) a(i, j) /= total;
  }
  return a;
}

AttentionGradients attention_backward(const Matrix& q, const Matrix& k, const Matrix& v,
                                      const Matrix& dout) {
  const float scale = 1 / std::sqrt(static_cast<float>(q.shape(1)));
  const Matrix scores = scale * xt::linalg::dot(q, xt::transpose(k));  // (T, S)
  const Matrix a = softmax_of_rows(scores);
  const Matrix dv = xt::linalg::dot(xt::transpose(a), dout);  // (S, d_v)
  const Matrix da = xt::linalg::dot(dout, xt::transpose(v));  // (T, S)
  Matrix dz = da;
  for (std::size_t i = 0; i < dz.shape(0); ++i) {
    float sum = 0;
    for (std::size_t l = 0; l < dz.shape(1); ++l) sum += da(i, l) * a(i, l);
    for (std::size_t j = 0; j < dz.shape(1); ++j) dz(i, j) = scale * a(i, j) * (da(i, j) - sum);
  }
  const Matrix dq = xt::linalg::dot(dz, k);                 // (T, d_k)
  const Matrix dk = xt::linalg::dot(xt::transpose(dz), q);  // (S, d_k)
  return {dq, dk, dv};
}

}  // namespace xf::exercise
