#include "00_foundations/next_letter.hpp"
#include "support/golden.hpp"
#include "support/grad_check.hpp"

namespace xf::test {

namespace {

// After 0 came 1 three times and 2 once; after 1 came 2.
const Examples few = {{0, 0, 0, 0, 1}, {1, 1, 1, 2, 2}};

}  // namespace

TEST_CASE("next_letter: one update, worked by hand") {
  NextLetter model(3, 3);
  CHECK(update(model, few, 3.0f) == doctest::Approx(std::log(3.0)));
  // dL/dlogits[c] = share of c * (p - shares of what followed); c = 0: 4/5 (1/3 - (0, 3/4, 1/4)).
  const float a = -3 * 0.8f / 3, b = 3 * 0.8f * (0.75f - 1 / 3.0f),
              c = 3 * 0.8f * (0.25f - 1 / 3.0f);
  const float d = -3 * 0.2f / 3, e = 3 * 0.2f * (1 - 1 / 3.0f);
  expect_close("logits", model.logits, Tensor::from({3, 3}, {a, b, c, d, d, e, 0, 0, 0}));
}

TEST_CASE("next_letter: three updates follow PyTorch's") {
  const auto stored = [](const std::string& name) {
    return layers_golden()("next_letter/" + name);
  };
  const Values contexts = stored("contexts").values(), next = stored("next").values(),
               losses = stored("losses").values();
  const Examples examples{{contexts.begin(), contexts.end()}, {next.begin(), next.end()}};
  NextLetter model(4, 5);
  copy_into(model.logits, stored("logits").values());
  for (float loss : losses) CHECK(update(model, examples, 1.5f) == doctest::Approx(loss));
  expect_close("logits", model.logits, stored("final"));
}

TEST_CASE("next_letter: descent reaches the shares that one can count") {
  NextLetter model(3, 3);
  for (int step = 0; step < 400; ++step) update(model, few, 2.0f);
  const std::vector<float> log_p = log_softmax(model(Ids({1, 1}, {0}))).values();
  CHECK(std::exp(log_p[1]) == doctest::Approx(0.75).epsilon(0.01));
  CHECK(std::exp(log_p[2]) == doctest::Approx(0.25).epsilon(0.03));
}

TEST_CASE("next_letter: an epoch shows every example once, whatever the batch") {
  Random random(1);
  const Examples four = {{0, 1, 2, 3}, {1, 2, 3, 0}};
  NextLetter model(4, 4);
  train_epoch(model, four, 3, 4.0f, random);  // batches of 3 and of 1
  for (int context = 0; context < 4; ++context) {
    const std::vector<float> row = model(Ids({1, 1}, {context})).values();
    CHECK(std::max_element(row.begin(), row.end()) - row.begin() == (context + 1) % 4);
  }
}

TEST_CASE("next_letter: the loss's backward matches finite differences") {
  NextLetter model(3, 3);
  check_gradients("next_letter", {{"logits", model.logits}}, [&] { return loss_of(model, few); });
}

TEST_CASE("next_letter: letters that there are not are refused") {
  const NextLetter model(3, 4);
  expect_error([&] { loss_of(model, {{3}, {0}}); }, {"embedding: ", "3"});
  expect_error([&] { loss_of(model, {{0}, {4}}); }, {"cross_entropy: ", "4"});
}

}  // namespace xf::test
