// en: split and merge take every H-th column for a head: they undo each other, but the columns of
//     a head stand next to each other
// zh: split 和 merge 都让一个头隔 H 列取一列：两者互相抵消，但一个头的列应当相邻

#include "exercise.hpp"

namespace xf::exercise {

xt::xtensor<float, 3> split(const xt::xtensor<float, 2>& x, int heads) {
  const std::size_t words = x.shape(0), h = std::size_t(heads), d_k = x.shape(1) / h;
  const xt::xtensor<float, 3> by_word = xt::reshape_view(x, {words, d_k, h});
  return xt::transpose(by_word, {2, 0, 1});
}

xt::xtensor<float, 2> merge(const xt::xtensor<float, 3>& y) {
  const std::size_t heads = y.shape(0), words = y.shape(1), d_k = y.shape(2);
  const xt::xtensor<float, 3> by_word = xt::transpose(y, {1, 2, 0});
  return xt::reshape_view(by_word, {words, heads * d_k});
}

xt::xtensor<float, 2> multi_head(const xt::xtensor<float, 2>& q, const xt::xtensor<float, 2>& k,
                                 const xt::xtensor<float, 2>& v, int heads) {
  const xt::xtensor<float, 3> own_q = split(q, heads), own_k = split(k, heads),
                              own_v = split(v, heads);
  xt::xtensor<float, 3> y = own_q;  // (H, T, Dk)
  for (int h = 0; h < heads; ++h)
    xt::view(y, h) = attend(xt::view(own_q, h), xt::view(own_k, h), xt::view(own_v, h));
  return merge(y);  // (T, D)
}

}  // namespace xf::exercise
