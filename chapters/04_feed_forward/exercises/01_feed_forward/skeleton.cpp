#include "exercise.hpp"

namespace xf::exercise {

Matrix feed_forward(const Matrix& x, const Matrix& w_1, const Vector& b_1, const Matrix& w_2,
                    const Vector& b_2) {
  TODO("04-01: my/04-01_feed_forward.cpp");
}

LinearMap without_max(const Matrix& w_1, const Vector& b_1, const Matrix& w_2, const Vector& b_2) {
  TODO("04-01: my/04-01_feed_forward.cpp");
}

}  // namespace xf::exercise
