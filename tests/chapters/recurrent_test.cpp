#include "02_attention/recurrent.hpp"

#include "ops/embedding/embedding.hpp"
#include "support/golden.hpp"
#include "support/grad_check.hpp"
#include "support/xt_reference.hpp"

namespace xf::test {

namespace {

// The logits after the last of the ids (B, T).
Tensor read(const Recurrent& model, const Ids& ids) {
  std::vector<Tensor> x;
  for (int t = 0; t < ids.size(1); ++t) {
    Ids column = Ids::full({ids.size(0), 1}, 0);
    for (int b = 0; b < ids.size(0); ++b) column[b] = ids.at(b, t);
    x.push_back(embedding(column, model.table));
  }
  return model.output(model(x));
}

}  // namespace

TEST_CASE("recurrent: one feature, two steps worked by hand") {
  Random random(1);
  Recurrent model(2, 1, 1, random);
  model.w.weight = parameter(Tensor::from({1, 1}, {2}));
  const std::vector<Tensor> x = {Tensor::full({1, 1, 1}, 0.5f), Tensor::full({1, 1, 1}, -1.0f)};
  CHECK(model(x).item() == doctest::Approx(std::tanh(2 * std::tanh(0.5) - 1)));
}

TEST_CASE("recurrent: agrees with the xtensor formula") {
  Random random(2);
  const Recurrent model(3, 5, 1, random);
  const std::vector<Tensor> x = {random_leaf({4, 1, 5}, 1), random_leaf({4, 1, 5}, 2),
                                 random_leaf({4, 1, 5}, 3)};
  Tensor r = Tensor::zeros({4, 5});
  for (const Tensor& x_s : x) {
    const Tensor before = xt_reference::linear(r, model.w.weight, Tensor::zeros({5}));
    r = xt_reference::tanh(
        xt_reference::add(before.view({1, 4, 5}), x_s.view({4, 5})).view({4, 5}));
  }
  expect_close("r", model(x), r.view({4, 1, 5}));
}

TEST_CASE("recurrent: forward and every named gradient agree with PyTorch") {
  Random random(1);
  Recurrent model(8, 6, 1, random);
  const Ids ids = layers_golden().ids("recurrent/ids");
  check_case(
      layers_golden(), "recurrent", {},
      [&](const std::vector<Tensor>&) { return read(model, ids); }, parameters(model));
}

TEST_CASE("recurrent: backward matches finite differences") {
  Random random(1);
  Recurrent model(4, 3, 1, random);
  check_gradients("recurrent", random_parameters(model, 2), [&] {
    return read(model, Ids({2, 4}, {0, 1, 2, 3, 3, 1, 1, 0}));
  });
}

TEST_CASE("recurrent: inputs of another width are refused") {
  Random random(1);
  const Recurrent model(4, 3, 1, random);
  expect_error([&] { model({Tensor::zeros({2, 1, 5})}); }, {"linear: ", "(2, 1, 5)", "(3, 3)"});
}

}  // namespace xf::test
