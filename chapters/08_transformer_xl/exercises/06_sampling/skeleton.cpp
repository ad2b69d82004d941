#include "exercise.hpp"

namespace xf::exercise {

std::vector<double> distribution(const std::vector<double>& logits, double temperature, int top_k,
                                 double top_p) {
  TODO("08-06: chapters/08_transformer_xl/exercises/06_sampling/exercise.cpp");
}

int draw(const std::vector<double>& probabilities, double u) {
  TODO("08-06: chapters/08_transformer_xl/exercises/06_sampling/exercise.cpp");
}

}  // namespace xf::exercise
