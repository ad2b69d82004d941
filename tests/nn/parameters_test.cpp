#include "nn/parameters.hpp"

#include "nn/linear.hpp"
#include "support/close.hpp"
#include "support/peak_memory.hpp"
#include "support/sanitized.hpp"

namespace xf::test {

namespace {

struct Pair {
  Linear first, second;
  template <class Visitor>
  void visit(Visitor&& v) {
    v("first", first);
    v("second", second);
  }
};

struct Model {
  std::vector<Pair> layers;
  Tensor scale;
  template <class Visitor>
  void visit(Visitor&& v) {
    v("layers", layers);
    v("scale", scale);
  }
};

Model model_of(std::uint64_t seed) {
  Random random(seed);
  Model model{.layers = {}, .scale = constant({5}, 1)};
  for (int i = 0; i < 2; ++i)
    model.layers.push_back({Linear(3, 4, random), Linear(4, 3, random, false)});
  return model;
}

std::vector<std::string> names(const std::vector<NamedParameter>& list) {
  std::vector<std::string> result;
  for (const NamedParameter& p : list) result.push_back(p.name);
  return result;
}

}  // namespace

TEST_CASE("parameters: PyTorch-like names in the order of visit(), a missing bias left out") {
  Model model = model_of(1);
  const auto list = parameters(model);
  CHECK(names(list) == std::vector<std::string>{"layers.0.first.weight", "layers.0.first.bias",
                                                "layers.0.second.weight", "layers.1.first.weight",
                                                "layers.1.first.bias", "layers.1.second.weight",
                                                "scale"});
  CHECK(parameter_count(list) == 2 * (12 + 4 + 12) + 5);
  for (const NamedParameter& p : list) CHECK(p.tensor->leaf);
}

TEST_CASE("parameters: a tied parameter is listed once, under its first name") {
  Model model = model_of(1);
  model.layers[1].second.weight = model.layers[0].second.weight;
  const auto list = parameters(model);
  CHECK(list.size() == 6);
  CHECK(parameter_count(list) == 2 * (12 + 4) + 12 + 5);
}

TEST_CASE("init: Xavier's bound and the normal's deviation") {
  Random random(2);
  const Tensor weight = xavier_uniform(60, 40, random);
  CHECK(weight.shape() == Shape{60, 40});
  const double bound = std::sqrt(6.0 / 100);
  CHECK(largest(weight) <= bound);
  CHECK(largest(weight) > 0.99 * bound);
  double squares = 0;
  const Tensor table = normal({100, 100}, 0.02, random);
  for (float x : table.values()) squares += double(x) * x;
  CHECK(std::sqrt(squares / 10000) == doctest::Approx(0.02).epsilon(0.03));
  CHECK(weight.leaf);
}

TEST_CASE("init: what a file will fill is not drawn, and takes no memory before") {
  Random random = Random::none();
  reset_peak_memory();
  const double before = peak_mebibytes();
  const Linear wide(16384, 8192, random, false);  // 512 MiB
  CHECK(wide.weight.shape() == Shape{8192, 16384});
  CHECK(wide.weight.leaf);
  CHECK(peak_mebibytes() - before < 32 * slowdown);
}

TEST_CASE("init: the same seed makes the same model") {
  Model first = model_of(3), second = model_of(3);
  const auto left = parameters(first), right = parameters(second);
  for (std::size_t i = 0; i < left.size(); ++i)
    expect_same(left[i].name, *left[i].tensor, *right[i].tensor);
}

}  // namespace xf::test
