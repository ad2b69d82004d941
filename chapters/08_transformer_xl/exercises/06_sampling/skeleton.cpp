#include "exercise.hpp"

namespace xf::exercise {

std::vector<double> distribution(const std::vector<double>& logits, double temperature, int top_k,
                                 double top_p) {
  TODO("08-06: my/08-06_sampling.cpp");
}

int draw(const std::vector<double>& probabilities, double u) {
  TODO("08-06: my/08-06_sampling.cpp");
}

}  // namespace xf::exercise
