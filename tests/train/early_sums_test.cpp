#include "train/early_sums.hpp"

#include <algorithm>

#include "support/devices.hpp"
#include "tensor/random.hpp"

namespace xf::test {

namespace {

// Five parameters, two of them larger than a bucket.
struct Model {
  std::vector<Tensor> weights;
  std::vector<NamedParameter> parameters;

  Model() {
    for (const int count : {7, 1'100'000, 3, 1'048'576, 5})
      weights.push_back(parameter(Tensor::zeros({count})));
    for (Tensor& weight : weights) parameters.push_back({"w", &weight});
  }
};

}  // namespace

TEST_CASE("early sums: the sets are added, in whatever order their gradients become complete") {
  Model model;
  EarlySums early(model.parameters);
  Random random(3);
  for (int step = 0; step < 3; ++step) {
    std::vector<std::vector<float>> gradients;
    std::vector<std::pair<std::size_t, int>> order;
    for (std::size_t p = 0; p < 5; ++p)
      for (int set = 0; set < 2; ++set) {
        const auto count = static_cast<std::size_t>(model.weights[p].count());
        gradients.emplace_back(count, static_cast<float>(10 * p) + static_cast<float>(set) + 1);
        if (!(p == 2 && set == 0) && p != 4) order.emplace_back(p, set);
      }
    for (std::size_t i = order.size(); i > 1; --i)
      std::swap(order[i - 1], order[static_cast<std::size_t>(random.below(static_cast<int>(i)))]);
    early.begin(2);
    for (const auto& [p, set] : order)
      early.ready(set, model.weights[p].key(),
                  gradients[2 * p + static_cast<std::size_t>(set)].data());
    early.finish();
    for (std::size_t p = 0; p < 5; ++p) {
      CHECK(early.has_gradient(p) == (p != 4));
      const float wanted = p == 4 ? 0 : p == 2 ? 22 : static_cast<float>(20 * p) + 3;
      const float* sum = early.sum(p);
      const auto count = model.weights[p].count();
      CHECK(std::all_of(sum, sum + count, [&](float one) { return one == wanted; }));
    }
  }
}

TEST_CASE("early sums: one that is never finished ends with its owner") {
  Model model;
  EarlySums early(model.parameters);
  early.begin(1);
  const std::vector<float> gradient(5, 1);
  early.ready(0, model.weights[4].key(), gradient.data());
}

}  // namespace xf::test
