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
  auto model = drawn<Recurrent>(1, 2, 1, 1);
  model.w.weight = parameter(Tensor::from({1, 1}, {2}));
  const std::vector<Tensor> x = {Tensor::full({1, 1, 1}, 0.5f), Tensor::full({1, 1, 1}, -1.0f)};
  CHECK(model(x).item() == doctest::Approx(std::tanh(2 * std::tanh(0.5) - 1)));
}

TEST_CASE("recurrent: agrees with the xtensor formula") {
  const auto model = drawn<Recurrent>(2, 3, 5, 1);
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
  auto model = drawn<Recurrent>(1, 8, 6, 1);
  const Ids ids = layers_golden().ids("recurrent/ids");
  check_layer("recurrent", {}, parameters(model), [&](const Inputs&) { return read(model, ids); });
}

TEST_CASE("recurrent: backward matches finite differences") {
  auto model = drawn<Recurrent>(1, 4, 3, 1);
  check_gradients("recurrent", random_parameters(model, 2), [&] {
    return read(model, Ids({2, 4}, {0, 1, 2, 3, 3, 1, 1, 0}));
  });
}

TEST_CASE("recurrent: inputs of another width are refused") {
  const auto model = drawn<Recurrent>(1, 4, 3, 1);
  expect_error([&] { model({zeros(2, 1, 5)}); }, {"linear: ", "(2, 1, 5)", "(3, 3)"});
}

TEST_CASE("recurrent_translator: one feature, one letter worked by hand") {
  Random random(1);
  for (const bool attends : {false, true}) {
    CAPTURE(attends);
    RecurrentTranslator model(1, 1, attends, random);
    const auto set = [](Linear& map, float value) { map.weight = Tensor::from({1, 1}, {value}); };
    set(model.w, 2);
    set(model.u, 3);
    set(model.c, 0.5f);
    set(model.a, 10);
    set(model.output, 1);
    const double r_1 = std::tanh(0.5), r_2 = std::tanh(2 * r_1 - 1), h = std::tanh(3 * r_2 + 0.25);
    const double share = 1 / (1 + std::exp(10 * h * (r_2 - r_1)));  // of r_1
    const double context = attends ? share * r_1 + (1 - share) * r_2 : r_2;
    const Tensor x = Tensor::from({1, 2, 1}, {0.5f, -1.0f}), y = Tensor::full({1, 1, 1}, 0.25f);
    CHECK(model(x, y).item() == doctest::Approx(std::tanh(h + 0.5 * context)));
  }
}

TEST_CASE("recurrent_translator: forward and every gradient agree with PyTorch") {
  Random random(1);
  for (const bool attends : {false, true}) {
    RecurrentTranslator model(5, 6, attends, random);
    check_layer(std::string("recurrent_translator/") + (attends ? "attention" : "one_vector"),
                {"x", "y_before"}, parameters(model),
                [&](const Inputs& in) { return model(in[0], in[1]); });
  }
}

TEST_CASE("recurrent_translator: backward matches finite differences") {
  Random random(1);
  const Tensor x = random_leaf({2, 3, 4}, 1), y = random_leaf({2, 2, 4}, 2);
  for (const bool attends : {false, true}) {
    RecurrentTranslator model(3, 4, attends, random);
    check_gradients("recurrent_translator", random_parameters(model, 2),
                    [&] { return model(x, y); });
  }
}

TEST_CASE("recurrent_translator: inputs of another width are refused") {
  const auto model = drawn<RecurrentTranslator>(1, 4, 3, true);
  expect_error([&] { model(zeros(2, 2, 3), zeros(2, 2, 5)); }, {"(2, 1, 5)"});
}

}  // namespace xf::test
