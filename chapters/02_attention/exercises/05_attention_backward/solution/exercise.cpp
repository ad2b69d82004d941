#include "exercise.hpp"

namespace xf::exercise {

using Matrix = xt::xtensor<float, 2>;

static Matrix softmax_of_rows(const Matrix& scores) {
  Matrix p = scores;
  for (std::size_t i = 0; i < p.shape(0); ++i) {
    const float largest = xt::amax(xt::row(scores, i))();
    float total = 0;
    for (std::size_t j = 0; j < p.shape(1); ++j) total += p(i, j) = std::exp(p(i, j) - largest);
    for (std::size_t j = 0; j < p.shape(1); ++j) p(i, j) /= total;
  }
  return p;
}

AttentionGradients attention_backward(const Matrix& q, const Matrix& k, const Matrix& v,
                                      const Matrix& dout) {
  const float scale = 1 / std::sqrt(static_cast<float>(q.shape(1)));
  const Matrix scores = scale * xt::linalg::dot(q, xt::transpose(k));  // (T, S)
  const Matrix p = softmax_of_rows(scores);
  const Matrix dv = xt::linalg::dot(xt::transpose(p), dout);  // (S, d_v)
  const Matrix dp = xt::linalg::dot(dout, xt::transpose(v));  // (T, S)
  Matrix ds = dp;
  for (std::size_t i = 0; i < ds.shape(0); ++i) {
    float sum = 0;
    for (std::size_t l = 0; l < ds.shape(1); ++l) sum += dp(i, l) * p(i, l);
    for (std::size_t j = 0; j < ds.shape(1); ++j) ds(i, j) = p(i, j) * (dp(i, j) - sum);
  }
  const Matrix dq = scale * xt::linalg::dot(ds, k);                 // (T, d_k)
  const Matrix dk = scale * xt::linalg::dot(xt::transpose(ds), q);  // (S, d_k)
  return {dq, dk, dv};
}

}  // namespace xf::exercise
