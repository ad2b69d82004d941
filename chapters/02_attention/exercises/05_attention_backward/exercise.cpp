#include "exercise.hpp"

namespace xf::exercise {

AttentionGradients attention_backward(const xt::xtensor<float, 2>& q,
                                      const xt::xtensor<float, 2>& k,
                                      const xt::xtensor<float, 2>& v,
                                      const xt::xtensor<float, 2>& dout) {
  TODO("02-05: chapters/02_attention/exercises/05_attention_backward/exercise.cpp");
}

}  // namespace xf::exercise
