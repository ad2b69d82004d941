#include "exercise.hpp"

namespace xf::exercise {

Tensor relative_scores(const Tensor& q, const Tensor& k, const Tensor& r, const Tensor& u,
                       const Tensor& v) {
  TODO("08-02: chapters/08_transformer_xl/exercises/02_four_terms/exercise.cpp");
}

ScoreTerms score_terms(const Tensor& q, const Tensor& k, const Tensor& r, const Tensor& u,
                       const Tensor& v) {
  TODO("08-02: chapters/08_transformer_xl/exercises/02_four_terms/exercise.cpp");
}

}  // namespace xf::exercise
