// en: softmax of all scores, times may, divided by what is left: NaN times 0 is NaN, and a
//     forbidden largest score is in it for good
// zh: 先对所有得分做 softmax，乘以 may，再除以剩下的和：NaN 乘 0 仍是 NaN，被禁止的最大得分也除不掉

#include "exercise.hpp"

namespace xf::exercise {

xt::xtensor<float, 2> masked_softmax(const xt::xtensor<float, 2>& scores,
                                     const xt::xtensor<float, 2>& may) {
  xt::xtensor<float, 2> y = to_xt<2>(softmax(from_xt(scores)));
  for (std::size_t t = 0; t < y.shape(0); ++t) {
    float total = 0;
    for (std::size_t s = 0; s < y.shape(1); ++s) total += y(t, s) *= may(t, s);
    if (total > 0)
      for (std::size_t s = 0; s < y.shape(1); ++s) y(t, s) /= total;
  }
  return y;
}

}  // namespace xf::exercise
