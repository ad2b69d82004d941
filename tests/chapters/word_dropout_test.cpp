#include "08_transformer_xl/word_dropout.hpp"

#include "08_transformer_xl/baselines/any_stack.hpp"
#include "support/language_models.hpp"

namespace xf::test {

namespace {

constexpr int vocabulary = 9;

// The entries of the vocabulary that drop_words leaves with this seed, each as often as it is hit.
std::vector<float> kept(int entries, float p, std::uint64_t seed) {
  Ids ids = Ids::full({1, entries}, 0);
  for (int id = 0; id < entries; ++id) ids[id] = id;
  const Training training(seed);
  return drop_words(Tensor::full({1, entries, 1}, 1.0f), ids, entries, p).values();
}

AnySegmentModel model_of(const std::string& kind) {
  AnySegmentModel model = lively_model(small("pre", named<ModelKind>(kind)), 1);
  model.embedding_dropout = 0.5f;
  return model;
}

const std::string kinds[] = {"transformer_xl", "vanilla", "recurrent_vanilla"};

}  // namespace

TEST_CASE("drop_words: a word is dropped at all its places or at none, and the rest is scaled") {
  const Tensor x = random_leaf({2, 5, 3}, 1);
  const Ids ids({2, 5}, {1, 2, 1, 3, 4, 4, 2, 1, 1, 0});
  expect_same("without training", drop_words(x, ids, 5, 0.5f), x);
  bool differ = false;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const std::vector<float> keep = kept(5, 0.5f, seed);
    differ |= std::count(keep.begin(), keep.end(), 0.0f) % 5 != 0;
    const Training training(seed);
    const Tensor y = drop_words(x, ids, 5, 0.5f);
    for (int i = 0; i < 30; ++i)
      CHECK(y.values()[i] == x.values()[i] * keep[static_cast<std::size_t>(ids[i / 3])]);
  }
  CHECK(differ);  // some words dropped beside others that are not
}

TEST_CASE("drop_words: backward matches finite differences under a fixed seed") {
  const Tensor x = random_leaf({2, 3, 4}, 1);
  check_gradients("drop_words", {{"x", x}}, [&] {
    const Training training(7);
    return drop_words(x, Ids({2, 3}, {1, 2, 1, 3, 0, 2}), 4, 0.3f);
  });
}

TEST_CASE("drop_words: rates outside [0, 1), ids and shapes that do not fit are refused") {
  const Tensor x = Tensor::zeros({1, 2, 3});
  const Training training(1);
  expect_error([&] { drop_words(x, Ids({1, 2}, {0, 1}), 4, 1); }, {"dropout: ", "1.0"});
  expect_error([&] { drop_words(x, Ids({1, 2}, {0, 4}), 4, 0.5f); }, {"embedding: ", "4"});
  expect_error(
      [&] {
        drop_words(x, Ids({1, 3}, {0, 1, 2}), 4, 0.5f);
      },
      {"scale_rows: ", "(1, 2, 3)", "(1, 3, 1)"});
}

TEST_CASE("drop_words: the share of the vocabulary is the rate, the mean of a word stays") {
  const std::vector<float> keep = kept(20000, 0.2f, 3);
  for (float factor : keep) CHECK((factor == 0 || factor == doctest::Approx(1.25)));
  const auto dropped = std::count(keep.begin(), keep.end(), 0.0f);
  CHECK(double(dropped) == doctest::Approx(4000).epsilon(0.05));  // four deviations: 0.056
  CHECK(keep != kept(20000, 0.2f, 4));
}

TEST_CASE("embedding dropout: every kind has it in training, and none outside") {
  const Ids ids = random_ids({2, 3}, vocabulary, 2);
  for (const std::string& kind : kinds) {
    AnySegmentModel model = model_of(kind);
    const auto hidden = [&] {
      Memory memory = model.start();
      return model.hidden(ids, memory);
    };
    const Tensor outside = hidden();
    Tensor dropped;
    {
      const Training training(5);
      dropped = hidden();
    }
    CHECK_MESSAGE(!difference(kind, dropped, outside).empty(), kind);
    model.embedding_dropout = 0;
    const Training training(5);
    expect_same(kind, hidden(), outside);
  }
}

TEST_CASE("embedding dropout: a dropped word is still learned as an output, tied as it is") {
  for (const std::string& kind : kinds) {
    AnySegmentModel model = model_of(kind);
    model.embedding_dropout = 0.999f;  // of 9 words none is left, with this seed
    std::vector<NamedParameter> list = parameters(model);
    Tape tape;
    const Training training(5);
    Memory memory = model.start();
    const Tensor loss = model.loss(Ids({1, 3}, {4, 5, 6}), Ids({1, 3}, {6, 7, 8}), memory);
    const Gradients gradients = tape.backward(loss);
    const Tensor& table = gradients.of(*list[0].tensor);  // (V, D)
    REQUIRE(list[0].name == "embedding.weight");
    // The gradient of an output row is the sum over t of (p_t - [expected]) h_t; no row gets
    // anything as an input, and so all rows together get 0.
    for (int d = 0; d < table.size(1); ++d) {
      double total = 0, size = 0;
      for (int id = 0; id < vocabulary; ++id) {
        total += table.values()[id * table.size(1) + d];
        size += std::abs(table.values()[id * table.size(1) + d]);
      }
      CHECK(size > 0.01);
      CHECK(std::abs(total) < 1e-5 * size);
    }
  }
}

TEST_CASE("vanilla: the attention weights have a dropout rate of their own") {
  for (const std::string kind : {"vanilla", "recurrent_vanilla"}) {
    TransformerXlConfig config = small("pre", named<ModelKind>(kind));
    const Ids ids = random_ids({2, 3}, vocabulary, 2);
    const auto hidden = [&](double rate, bool train) {
      config.attention_dropout = rate;
      AnySegmentModel model = lively_model(config, 1);
      Memory memory = model.start();
      if (!train) return model.hidden(ids, memory);
      const Training training(5);
      return model.hidden(ids, memory);
    };
    expect_same("no rate", hidden(0, true), hidden(0, false));
    CHECK(!difference("a rate", hidden(0.5, true), hidden(0, true)).empty());
    expect_same("not in training", hidden(0.5, false), hidden(0, false));
  }
}

}  // namespace xf::test
