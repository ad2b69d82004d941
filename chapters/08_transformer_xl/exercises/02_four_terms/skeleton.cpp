#include "exercise.hpp"

namespace xf::exercise {

Tensor relative_scores(const Tensor& q, const Tensor& k, const Tensor& r, const Tensor& u,
                       const Tensor& v) {
  TODO("08-02: my/08-02_four_terms.cpp");
}

ScoreTerms score_terms(const Tensor& q, const Tensor& k, const Tensor& r, const Tensor& u,
                       const Tensor& v) {
  TODO("08-02: my/08-02_four_terms.cpp");
}

}  // namespace xf::exercise
