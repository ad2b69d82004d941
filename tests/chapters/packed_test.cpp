#include "text/packed_batch.hpp"

#include "07_transformer/transformer.hpp"
#include "ops/cross_entropy/cross_entropy.hpp"
#include "support/grad_check.hpp"
#include "support/kinds.hpp"

namespace xf::test {

namespace {

const std::vector<Example> examples = {
    {{4, 5, 6, 2}, {7, 8}}, {{5, 2}, {4, 4, 5, 6, 7}}, {{9, 8, 7, 6, 5, 2}, {}}, {{2}, {9}}};
const std::vector<int> all = {0, 1, 2, 3};

Transformer small_model(const std::string& norm) {
  Random random(1);
  return Transformer({.source_vocabulary = 10,
                      .target_vocabulary = 10,
                      .d_model = 8,
                      .d_ff = 12,
                      .heads = 2,
                      .encoder_layers = 2,
                      .decoder_layers = 2,
                      .dropout = 0,
                      .norm = named<NormOrder>(norm)},
                     random);
}

}  // namespace

TEST_CASE("packed batch: the sentences end to end, and where each begins") {
  const PackedBatch batch = make_packed_batch(examples, std::vector<int>{1, 3});
  CHECK(batch.source.ids.values() == std::vector<int>{5, 2, 2});
  CHECK(batch.source.starts == std::vector<int>{0, 2, 3});
  CHECK(batch.target_in.ids.values() == std::vector<int>{1, 4, 4, 5, 6, 7, 1, 9});
  CHECK(batch.target_out.values() == std::vector<int>{4, 4, 5, 6, 7, 2, 9, 2});
  CHECK(batch.target_in.starts == std::vector<int>{0, 6, 8});
  CHECK(batch.target_tokens() == 8);
  CHECK_THROWS_AS(make_packed_batch(examples, {}), std::invalid_argument);
  CHECK_THROWS_AS(make_packed_batch(examples, std::vector<int>{4}), std::invalid_argument);
}

TEST_CASE("packed batch: shards hold every sentence once, and nearly equally many tokens") {
  std::vector<Example> many;
  Random random(2);
  for (int i = 0; i < 100; ++i)
    many.push_back({std::vector<int>(static_cast<std::size_t>(1 + random.below(9)), 4),
                    std::vector<int>(static_cast<std::size_t>(random.below(9)), 5)});
  const std::vector<int> which = all_of(many);
  const PackedBatch whole = make_packed_batch(many, which);
  for (int shards : {1, 2, 3, 7}) {
    const auto parts = split_packed_batch(many, which, shards);
    REQUIRE(static_cast<int>(parts.size()) == shards);
    const double equal = double(whole.source.ids.count() + whole.target_tokens()) / shards;
    std::ptrdiff_t source = 0, target = 0;
    for (const PackedBatch& part : parts) {
      const double tokens = double(part.source.ids.count() + part.target_tokens());
      CHECK(std::abs(tokens - equal) <= 18);  // the longest pair
      source += part.source.ids.count();
      target += part.target_tokens();
    }
    CHECK(source == whole.source.ids.count());
    CHECK(target == whole.target_tokens());
  }
  CHECK(split_packed_batch(examples, std::vector<int>{0}, 4).size() == 1);
  CHECK_THROWS_AS(split_packed_batch(examples, {}, 1), std::invalid_argument);
  CHECK_THROWS_AS(split_packed_batch(examples, all, 0), std::invalid_argument);
}

TEST_CASE("packed training: loss and every named gradient equal those of the padded batch") {
  for (const std::string norm : {"post", "pre"}) {
    Transformer model = small_model(norm);
    random_parameters(model, 3);
    const CrossEntropyOptions options{.ignore = pad_id, .smoothing = 0.1f};
    const Batch padded = make_batch(examples, all);
    const PackedBatch packed = make_packed_batch(examples, all);
    Tape padded_tape;
    const Tensor want =
        cross_entropy(model(padded.source, padded.target_in), padded.target_out, options);
    const Gradients want_gradients = padded_tape.backward(want);
    Tape packed_tape;
    const Tensor loss =
        cross_entropy(model(packed.source, packed.target_in), packed.target_out, options);
    const Gradients gradients = packed_tape.backward(loss);
    expect_close(norm + " loss", loss, want, 1e-6);
    for (const NamedParameter& p : parameters(model)) {
      if (p.name.ends_with("w_k.bias")) continue;  // 0 but for rounding (golden.hpp)
      expect_close(norm + " " + p.name, gradients.of(*p.tensor), want_gradients.of(*p.tensor),
                   2 * parity);  // each is within it of the exact one
    }
  }
}

TEST_CASE("packed sentences: recorded weights are those side by side, and the logits as before") {
  Transformer model = small_model("pre");
  random_parameters(model, 3);
  const Batch padded = make_batch(examples, all);
  const PackedBatch packed = make_packed_batch(examples, all);
  const Tensor plain = model(packed.source, packed.target_in);
  Recorder recorder;
  expect_same("logits", model(packed.source, packed.target_in), plain);
  for (const auto& [path, queries, keys] :
       {std::tuple{"encoder.layers.1.self_attention.weights", packed.source, packed.source},
        std::tuple{"decoder.layers.0.self_attention.weights", packed.target_in, packed.target_in},
        std::tuple{"decoder.layers.1.cross_attention.weights", packed.target_in, packed.source}}) {
    const Tensor weights = recorder.of(path);  // (1, H, N, M)
    Recorder side_by_side;
    model(padded.source, padded.target_in);
    const Tensor each = side_by_side.of(path);  // (B, H, T, S)
    for (std::size_t b = 0; b < padded.order.size(); ++b) {
      const auto i = static_cast<std::size_t>(padded.order[b]);
      const int t = queries.starts[i + 1] - queries.starts[i],
                s = keys.starts[i + 1] - keys.starts[i];
      const Tensor one = slice(slice(weights, 2, queries.starts[i], t), 3, keys.starts[i], s);
      const Tensor row = slice(each, 0, static_cast<int>(b), 1);
      expect_close(path, one, slice(slice(row, 2, 0, t), 3, 0, s), 2e-6);
      CHECK(sum(slice(weights, 2, queries.starts[i], t)).item() == doctest::Approx(2 * t));
    }
  }
}

TEST_CASE("sentences: their positions, and what is none") {
  CHECK(Sentences(Ids({2, 3}, {1, 2, 3, 4, 5, 6})).column_positions() == std::vector<int>{0, 1, 2});
  CHECK_FALSE(Sentences(Ids({2, 3}, {1, 2, 3, 4, 5, 6})).packed());
  const Ids row({1, 5}, {1, 2, 3, 4, 5});
  const Sentences sentences = Sentences::end_to_end(row, {0, 2, 2, 5});
  CHECK(sentences.packed());
  CHECK(sentences.column_positions() == std::vector<int>{0, 1, 0, 1, 2});
  CHECK(Sentences(row, {4, 3, 2, 1, 0}).column_positions() == std::vector<int>{4, 3, 2, 1, 0});
  for (const std::vector<int>& starts : {std::vector<int>{}, {0, 4}, {1, 5}, {0, 3, 2, 5}})
    expect_error([&] { Sentences::end_to_end(row, starts); }, {"sentences: ", "(1, 5)"});
  expect_error(
      [] {
        Sentences::end_to_end(Ids({2, 1}, {1, 2}), {0, 1});
      },
      {"sentences: ", "(2, 1)"});
}

TEST_CASE("mask_of: padded and packed sentences are not one batch") {
  const Sentences padded = Ids({1, 2}, {4, 2});
  const Sentences packed = Sentences::end_to_end(Ids({1, 2}, {4, 2}), {0, 2});
  expect_error([&] { mask_of(padded, packed); }, {"mask_of: ", "(1, 2)"});
  CHECK(mask_of(packed, packed, true).packing()->causal);
  CHECK(mask_of(padded, padded).allowed().shape() == Shape{1, 1, 2});
  CHECK(mask_of(padded, padded, true).allowed().shape() == Shape{1, 2, 2});
}

TEST_CASE("packed training: the shards' losses add up to those of the padded shards") {
  std::vector<Example> many;
  Random random(4);
  for (int i = 0; i < 40; ++i) {
    Example& e = many.emplace_back();
    for (int left = random.below(i < 36 ? 12 : 80); left >= 0; --left)
      e.source.push_back(4 + random.below(6));
    for (int left = random.below(i < 36 ? 12 : 80); left > 0; --left)
      e.target.push_back(4 + random.below(6));
  }
  Transformer model = small_model("pre");
  random_parameters(model, 3);
  for (const std::vector<int>& batch : length_bucketed_batches(many, 150, 5, 1)) {
    const auto padded = split_batch(many, batch, 2);
    const auto packed = split_packed_batch(many, batch, 2);
    int tokens = 0, packed_tokens = 0;
    for (const Batch& part : padded) tokens += part.target_tokens;
    for (const PackedBatch& part : packed) packed_tokens += part.target_tokens();
    REQUIRE(packed_tokens == tokens);
    const CrossEntropyOptions options{
        .ignore = pad_id, .smoothing = 0.1f, .divisor = double(tokens)};
    double want = 0, loss = 0;
    for (const Batch& part : padded)
      want += cross_entropy(model(part.source, part.target_in), part.target_out, options).item();
    for (const PackedBatch& part : packed)
      loss += cross_entropy(model(part.source, part.target_in), part.target_out, options).item();
    CHECK(std::abs(loss - want) < 1e-6 * want);
  }
}

}  // namespace xf::test
