#include "exercise.hpp"

namespace xf::exercise {

xt::xtensor<float, 2> softmax_rows(const xt::xtensor<float, 2>& scores) {
  TODO("02-01: my/02-01_attention.cpp");
}

xt::xtensor<float, 2> attention(const xt::xtensor<float, 2>& q, const xt::xtensor<float, 2>& k,
                                const xt::xtensor<float, 2>& v) {
  TODO("02-01: my/02-01_attention.cpp");
}

}  // namespace xf::exercise
