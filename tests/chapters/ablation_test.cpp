#include "08_transformer_xl/experiments/ablation.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "support/errors.hpp"
#include "support/language_models.hpp"

namespace xf::test {

using namespace language;

namespace {

LanguageText random_text(int count) {
  LanguageText text;
  const Ids ids = random_ids({1, count}, 9, 5);
  for (std::int32_t id : ids.values()) text.ids.append(id);
  text.characters = count - 1;
  return text;
}

}  // namespace

TEST_CASE("relative gain: three positions worked by hand") {
  // Two models, two contexts, positions with baselines b = (1, 2, 0.5).
  const std::vector<LossesByContext> losses = {{{1, 3, 0.5f}, {0.5f, 2.5f, 0.25f}},
                                               {{2, 2, 1}, {2, 1, 1}}};
  // Model 0: f(c, c) = (1 + 2 + 0.5) / 3, f(c, c') = (0.5 + 2 + 0.25) / 3: the loss of 2.5 at the
  // second position is worse than the baseline, and does not count.
  CHECK(relative_gain(losses, 0, 0, 1.0) == doctest::Approx(1 - std::exp(-0.75 / 3)));
  CHECK(relative_gain(losses, 1, 0, 1.0) == doctest::Approx(1 - std::exp(-1.0 / 3)));
  // The hardest third is the second position alone.
  CHECK(relative_gain(losses, 0, 0, 0.3) == doctest::Approx(0));
  CHECK(relative_gain(losses, 1, 0, 0.3) == doctest::Approx(1 - std::exp(-1.0)));
}

TEST_CASE("relative effective context: the first context whose next step gains less than 1%") {
  const std::vector<LossesByContext> losses = {{{2}, {1.5f}, {1.495f}, {1}}};
  CHECK(relative_effective_context(losses, 0, 1.0) == 1);
  CHECK(relative_effective_context({{{2}, {1.9f}, {1.8f}}}, 0, 1.0) == 2);
  CHECK(relative_effective_context({{{2}, {2.5f}}}, 0, 1.0) == 0);
}

TEST_CASE("losses_with_context: each prediction sees exactly so many tokens") {
  const LanguageText text = random_text(60), other = [] {
    LanguageText changed;
    const std::vector<std::int32_t> ids = random_text(60).ids.read(0, 60);
    for (std::size_t i = 0; i < ids.size(); ++i)
      changed.ids.append(i == 20 ? (ids[i] + 1) % 9 : ids[i]);
    return changed;
  }();
  for (const std::string kind : {"transformer_xl", "vanilla", "recurrent_vanilla", "lstm"}) {
    const AnySegmentModel model = lively_model(small("post", named<ModelKind>(kind)), 1);
    // Token 20 is in the context of place p (token p and those before it) when p - c < 20 <= p.
    const std::vector<std::ptrdiff_t> places = {19, 20, 26, 27, 30};
    const std::vector<float> a = losses_with_context(model, text, places, 7),
                             b = losses_with_context(model, other, places, 7);
    CHECK(a[1] != b[1]);
    CHECK((a[2] != b[2]) == (kind != "vanilla"));  // which sees a segment of 3 at most
    CHECK(a[3] == b[3]);
    CHECK(a[4] == b[4]);
  }
}

TEST_CASE("losses_with_context: the memory of Transformer-XL and one long segment are the same") {
  const LanguageText text = random_text(40);
  const AnySegmentModel with_memory = lively_model(small("pre"), 1);
  AnySegmentModel without = with_memory;
  without.config.memory = 0;
  const std::vector<std::ptrdiff_t> places = {12, 20, 30};
  const std::vector<float> a = losses_with_context(with_memory, text, places, 10),
                           b = losses_with_context(without, text, places, 10);
  for (std::size_t i = 0; i < a.size(); ++i) CHECK(a[i] == doctest::Approx(b[i]).epsilon(1e-5));
}

TEST_CASE("loss_at: the length of the training gives the loss of evaluate()") {
  const LanguageText text = random_text(80);
  TransformerXlConfig base = small("post");
  base.segment = 4;
  for (const Cell& cell : ablation_cells(base)) {
    const AnySegmentModel model = lively_model(cell.config, 1);
    const double trained = loss_at(model, text, trained_attention(cell)).nats;
    CHECK(trained == doctest::Approx(evaluate(model, text, 4).nats).epsilon(1e-6));
    CHECK((std::abs(loss_at(model, text, 8).nats - trained) > 1e-4) == !cell.lstm());
    CHECK(loss_at(model, text, 8).tokens == 79);
  }
}

TEST_CASE("ablation cells: five models, as many parameters each to half a hidden unit a layer") {
  TransformerXlConfig base{.vocabulary = 40, .d_model = 32, .d_ff = 64, .layers = 2};
  std::vector<double> counts;
  for (const Cell& cell : ablation_cells(base)) {
    AnySegmentModel model = lively_model(cell.config, 1);
    CHECK((model.start().memory_length > 0) == cell.recurrence);
    CHECK(model.stack.is<TransformerXl>() == cell.relative);
    CHECK(model.stack.is<Lstm>() == cell.lstm());
    counts.push_back(double(parameter_count(parameters(model))));
  }
  REQUIRE(counts.size() == 5);
  CHECK(std::abs(counts[4] - counts[0]) <= 2 * (9 * 32 + 4) / 2.0);
  counts.pop_back();
  CHECK(spread(counts) <= 2 * (2 * 32 + 1) / 2.0);
}

TEST_CASE("attention lengths: with 0 and the memory, in order; nonsense is refused") {
  CHECK(attention_lengths({}, 16) == std::vector<int>{0, 8, 16, 32, 64});
  CHECK(attention_lengths({.attention = "40,5"}, 16) == std::vector<int>{0, 5, 16, 40});
  for (const char* text : {"5", "a", "5,", ",40", "-40", "1 40"})
    expect_user_error([&] { as_flags([&] { attention_lengths({.attention = text}, 16); }); },
                      {"--attention: ", text});
}

TEST_CASE("claims: a gap counts when it is larger than the seeds' spread") {
  Ablation a;
  TransformerXlConfig base = small("post");
  a.cells = ablation_cells(base);
  a.lengths = {0, 3, 6};
  const auto seeds = [](double first, double second) {
    return std::vector<std::vector<double>>{{first, first - 0.1, first - 0.11},
                                            {second, second - 0.1, second - 0.15}};
  };
  // Trained at length 3 with recurrence, 0 without.
  a.nats = {seeds(2.0, 2.02), seeds(2.0, 2.05), seeds(2.3, 2.9), seeds(2.2, 2.22),
            seeds(2.1, 2.14)};
  const std::vector<Claim> found = claims(a);
  REQUIRE(found.size() == 6);
  CHECK(found[0].gap == doctest::Approx(2.025 - 1.91));
  CHECK(found[0].spread == doctest::Approx(0.05));
  CHECK(found[0].holds());
  CHECK(found[1].holds());
  CHECK(found[2].spread == doctest::Approx(0.6));
  CHECK(!found[2].holds());
  CHECK(found[3].gap == doctest::Approx(2.025 - 1.91));
  CHECK(found[4].gap == doctest::Approx(2.12 - 1.91));  // the LSTM
  // The same models twice: gaps of 0.01 and 0.05, a mean of 0.03, a spread of 0.04.
  CHECK(found[5].gap == doctest::Approx(0.03));
  CHECK(found[5].spread == doctest::Approx(0.04));
  CHECK(!found[5].holds());
  CHECK(a.best(0) == 2);
}

}  // namespace xf::test
