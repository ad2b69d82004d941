// en: the mask of the first row was used for all: query t has its own row, may(t, s)
// zh: 所有行都用了掩码的第一行：查询 t 有自己的一行，may(t, s)

#include "exercise.hpp"

namespace xf::exercise {

xt::xtensor<float, 2> masked_softmax(const xt::xtensor<float, 2>& scores,
                                     const xt::xtensor<float, 2>& may) {
  xt::xtensor<float, 2> out = xt::zeros<float>(scores.shape());
  for (std::size_t t = 0; t < scores.shape(0); ++t) {
    float largest = -std::numeric_limits<float>::infinity(), total = 0;
    for (std::size_t s = 0; s < scores.shape(1); ++s)
      if (may(0, s) > 0) largest = std::max(largest, scores(t, s));
    for (std::size_t s = 0; s < scores.shape(1); ++s)
      if (may(0, s) > 0) total += out(t, s) = std::exp(scores(t, s) - largest);
    for (std::size_t s = 0; s < scores.shape(1); ++s)
      if (may(0, s) > 0) out(t, s) /= total;
  }
  return out;
}

}  // namespace xf::exercise
