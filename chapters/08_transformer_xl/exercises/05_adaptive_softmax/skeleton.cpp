#include "exercise.hpp"

namespace xf::exercise {

xt::xtensor<float, 1> log_probabilities(const xt::xtensor<float, 2>& x,
                                        const xt::xtensor<float, 2>& head,
                                        const std::vector<Cluster>& clusters,
                                        const std::vector<int>& targets) {
  TODO("08-05: my/08-05_adaptive_softmax.cpp");
}

double products_saved(const xt::xtensor<float, 2>& head, const std::vector<Cluster>& clusters,
                      const std::vector<int>& targets) {
  TODO("08-05: my/08-05_adaptive_softmax.cpp");
}

}  // namespace xf::exercise
