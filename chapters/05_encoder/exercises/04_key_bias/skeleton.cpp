#include "exercise.hpp"

namespace xf::exercise {

BiasGradients bias_gradients(const Projected& of, const Matrix& dy, Weights kind) {
  TODO("05-04: chapters/05_encoder/exercises/04_key_bias/exercise.cpp");
}

Row merged_bias(const Matrix& w_o, const Row& b_v, const Row& b_o) {
  TODO("05-04: chapters/05_encoder/exercises/04_key_bias/exercise.cpp");
}

/* Answer:
 */
Written written(Weights kind) {
  TODO("05-04: chapters/05_encoder/exercises/04_key_bias/exercise.cpp");
}

}  // namespace xf::exercise
