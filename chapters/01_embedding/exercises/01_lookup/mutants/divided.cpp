// en: divided by sqrt(D); that is attention's factor, an embedding is multiplied by it
// zh: 除以了 sqrt(D)；那是注意力里的做法，词嵌入要乘以它

#include "exercise.hpp"

namespace xf::exercise {

xt::xtensor<float, 2> embed(const xt::xtensor<int, 1>& ids, const xt::xtensor<float, 2>& weight) {
  xt::xtensor<float, 2> out({ids.shape(0), weight.shape(1)});
  for (std::size_t t = 0; t < ids.shape(0); ++t) xt::row(out, t) = xt::row(weight, ids(t));
  return out / std::sqrt(static_cast<float>(weight.shape(1)));
}

}  // namespace xf::exercise
