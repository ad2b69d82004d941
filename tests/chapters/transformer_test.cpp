#include "07_transformer/transformer.hpp"

#include "ops/cross_entropy/cross_entropy.hpp"
#include "support/errors.hpp"
#include "support/grad_check.hpp"
#include "support/kinds.hpp"
#include "support/transformers.hpp"

namespace xf::test {

TEST_CASE("transformer: logits, loss and every named gradient agree with PyTorch") {
  for (const std::string name : {"post", "pre", "learned"}) {
    Transformer model = golden_model(name);
    const Batch batch = golden_batch(name, 0);
    expect_close(name + "/logits", model(batch.source, batch.target),
                 transformer_golden()(name + "/logits"));
    Tape tape;
    const Tensor loss = loss_of(model, batch);
    expect_close(name + "/loss", loss, transformer_golden()(name + "/loss"));
    expect_gradients(parameters(model), tape.backward(loss), transformer_golden(), name + "/grad/");
  }
}

TEST_CASE("transformer: log p(target | source) agrees with PyTorch") {
  for (const std::string name : {"post", "pre", "learned"})
    for (int i : {0, 1}) {
      const Transformer model = golden_model(name);
      const Batch batch = golden_batch(name, i);
      const std::vector<float> each =
          log_likelihood(model(batch.source, batch.target), batch.expected, pad_id);
      const Tensor& want = transformer_golden()(name + "/score." + std::to_string(i));
      Tensor score = Tensor::zeros(want.shape());
      const auto length = static_cast<std::ptrdiff_t>(each.size()) / score.count();
      for (std::size_t r = 0; r < each.size(); ++r)
        copy_into(score, {score.values()[static_cast<std::ptrdiff_t>(r) / length] + each[r]},
                  static_cast<std::ptrdiff_t>(r) / length);
      expect_close(name + "/score", score, want);
    }
}

TEST_CASE("transformer: a small model's gradients match finite differences, dropout included") {
  for (const std::string kind : {"post", "pre", "learned"}) {
    const std::string norm = kind == "learned" ? "post" : kind;
    TransformerConfig config{.source_vocabulary = 6, .target_vocabulary = 6, .d_model = 4};
    config.d_ff = 6;
    config.heads = 2;
    config.encoder_layers = config.decoder_layers = 1;
    config.dropout = 0.1;
    config.norm = named<NormOrder>(norm);
    config.activation = Activation::silu;
    config.shared_embeddings = config.tied_output = norm == "pre";
    if (norm != kind) config.positions = named<PositionKind>(kind);
    Random random(1);
    Transformer model(config, random);
    if (norm != kind)
      model.source_positions.weight = model.target_positions.weight = normal({3, 4}, 1, random);
    const auto leaves = random_parameters(model, 2);
    const Ids source({2, 3}, {3, 4, 2, 5, 2, 0}), target({2, 3}, {1, 5, 3, 1, 4, 0});
    const Ids expected({2, 3}, {5, 3, 2, 4, 2, 0});
    check_gradients("transformer", leaves, [&] {
      const Training training(3);
      return cross_entropy(model(source, target), expected, {.ignore = 0, .smoothing = 0.1f});
    });
  }
}

TEST_CASE("transformer: changing later target ids leaves earlier logits bit for bit") {
  for (const std::string name : {"post", "pre"}) {
    const Transformer model = golden_model(name);
    const Batch batch = golden_batch(name, 0);
    const Tensor logits = model(batch.source, batch.target);
    const int length = batch.target.size(1);
    for (int t = 1; t < length; ++t) {
      std::vector<std::int32_t> ids = batch.target.values();
      for (int b = 0; b < batch.target.size(0); ++b)
        for (int i = t; i < length; ++i)
          ids[static_cast<std::size_t>(b * length + i)] = 3 + (i + b) % 5;
      const Tensor changed = model(batch.source, Ids(batch.target.shape(), ids));
      expect_same("past", slice(changed, 1, 0, t), slice(logits, 1, 0, t));
    }
  }
}

TEST_CASE("transformer: padding changes neither logits nor loss") {
  for (const std::string name : {"post", "pre"}) {
    const Transformer model = golden_model(name);
    const auto logits = [&](const Ids& source, const Ids& target) { return model(source, target); };
    const Tensor tight = logits(Ids({1, 3}, {10, 4, 2}), Ids({1, 2}, {1, 7}));
    const Tensor padded = logits(Ids({1, 5}, {10, 4, 2, 0, 0}), Ids({1, 4}, {1, 7, 0, 0}));
    expect_close("logits", slice(padded, 1, 0, 2), tight, 2e-6);
    const CrossEntropyOptions options{.ignore = pad_id, .smoothing = 0.1f};
    expect_close("loss", cross_entropy(padded, Ids({4}, {7, 2, 0, 0}), options),
                 cross_entropy(tight, Ids({2}, {7, 2}), options), 1e-6);
  }
}

TEST_CASE("transformer: the sentences of a batch do not touch one another") {
  const Transformer model = golden_model("post");
  const Batch batch = golden_batch("post", 0);
  const Tensor logits = model(batch.source, batch.target);
  for (int b = 0; b < 3; ++b) {
    const int s = batch.source.size(1), t = batch.target.size(1);
    const Ids source({1, s}, std::span(batch.source.begin() + b * s, static_cast<std::size_t>(s)));
    const Ids target({1, t}, std::span(batch.target.begin() + b * t, static_cast<std::size_t>(t)));
    expect_close("alone", model(source, target), slice(logits, 0, b, 1), 2e-6);
  }
}

TEST_CASE("transformer: steps with the cache give the logits of the full forward pass") {
  for (const std::string name : {"post", "pre"}) {
    const Transformer model = golden_model(name);
    const Batch batch = golden_batch(name, 1);
    const Tensor logits = model(batch.source, batch.target);
    DecoderCache cache = model.start(batch.source);
    for (int t = 0; t < 2; ++t) {  // both sentences have two words here
      const Ids ids({2, 1}, {batch.target.at(0, t), batch.target.at(1, t)});
      expect_close("step", model.decode(ids, cache), slice(logits, 1, t, 1), 2e-6);
    }
  }
}

TEST_CASE("transformer: positions that are given take the place of 0, 1, 2, …") {
  const Transformer model = golden_model("post");
  const Ids source({1, 3}, {10, 4, 2}), target({1, 2}, {1, 7});
  const Tensor plain = model(source, target);
  expect_same("given", model({source, {0, 1, 2}}, {target, {0, 1}}), plain);
  CHECK(!difference("others", model({source, {2, 1, 0}}, target), plain).empty());
  const Tensor far = model.positions({600, 3, 511});  // the table ends at 511
  expect_same("beyond the table", slice(far, 0, 0, 1), sinusoidal_positions(1, 12, 600));
  expect_same("in it", slice(far, 0, 2, 1), model.positions({511}));
  expect_same("none", model.positions({}), Tensor::zeros({0, 12}));
}

// A model with learned positions, and the one without that has the same other parameters.
std::pair<Transformer, Transformer> learned_and_not() {
  TransformerConfig config = golden_config("post");
  Random random(1), again(1);
  const Transformer plain(config, random);
  config.positions = PositionKind::learned;
  return {Transformer(config, again), plain};
}

TEST_CASE("transformer: learned positions that hold the sinusoids give the sinusoids' logits") {
  auto [learned, plain] = learned_and_not();
  const Ids source({1, 3}, {10, 4, 2}), target({2, 2}, {1, 7, 1, 3});
  const Ids both({2, 3}, {10, 4, 2, 5, 2, 0});
  CHECK(!difference("fresh", learned(both, target), plain(both, target)).empty());
  copy_into(learned.source_positions.weight,
            sinusoidal_positions(max_learned_positions, 12).values());
  expect_same("logits", learned(both, target), plain(both, target));
  DecoderCache cache = learned.start(source);
  const Tensor all = learned(source, Ids({1, 2}, {1, 7}));
  for (int t = 0; t < 2; ++t)
    expect_close("step", learned.decode(Ids({1, 1}, {t == 0 ? 1 : 7}), cache), slice(all, 1, t, 1),
                 2e-6);
  expect_error(
      [&, &model = learned] {
        model.encode({source, {0, 1, max_learned_positions}});
      },
      {"embedding: ", "1024"});
}

TEST_CASE("transformer: a decoder that is given positions of its own reads these") {
  Transformer one = learned_and_not().first, two = one;
  const Ids source({2, 3}, {10, 4, 2, 5, 2, 0}), target({2, 2}, {1, 7, 1, 3});
  two.target_positions.weight = scale(one.source_positions.weight, 2);
  CHECK(parameters(two).size() == parameters(one).size() + 1);
  expect_same("encoded", two.encode(source), one.encode(source));
  CHECK(!difference("logits", two(source, target), one(source, target)).empty());
  two.target_positions.weight = one.source_positions.weight.clone();
  expect_same("logits", two(source, target), one(source, target));
}

TEST_CASE("transformer: learned positions, and none, take a width that is odd") {
  TransformerConfig config = golden_config("post");
  config.d_model = 15;
  Random random(1);
  CHECK_THROWS_AS(layer_sizes(config), ConfigError);
  for (const PositionKind kind : {PositionKind::learned, PositionKind::none}) {
    config.positions = kind;
    const Transformer model(config, random);
    CHECK(model(Ids({1, 2}, {4, 2}), Ids({1, 1}, {1})).shape() == Shape{1, 1, 13});
  }
}

TEST_CASE("transformer: without positions a sentence is a bag of words") {
  TransformerConfig config = golden_config("post");
  config.positions = PositionKind::none;
  const auto model = drawn<Transformer>(1, config);
  const Ids target({1, 2}, {1, 7});
  expect_close("logits", model(Ids({1, 4}, {10, 4, 5, 2}), target),
               model(Ids({1, 4}, {4, 10, 5, 2}), target), 2e-6);
  expect_same("the embeddings alone", model.embed(model.target_embedding, target),
              model.target_embedding(target));
}

TEST_CASE("transformer: learned positions are one named table more, drawn after all else") {
  auto [learned, plain] = learned_and_not();
  const auto with = parameters(learned), without = parameters(plain);
  REQUIRE(with.size() == without.size() + 1);
  std::size_t i = 0;
  for (const NamedParameter& parameter : with) {
    if (parameter.name == "learned_positions.weight") {
      CHECK(parameter.tensor->shape() == Shape{max_learned_positions, 12});
      continue;
    }
    CHECK(parameter.name == without[i].name);
    expect_same(parameter.name, *parameter.tensor, *without[i++].tensor);
  }
  CHECK(weight_count(learned.config) - weight_count(plain.config) == 12.0 * max_learned_positions);
}

TEST_CASE("transformer: without the factor, embeddings are the rows of their tables") {
  TransformerConfig config = golden_config("post");
  config.scale_embeddings = false;
  const auto model = drawn<Transformer>(1, config);
  const Ids ids({1, 3}, {1, 7, 3});
  const Tensor rows = gather_rows(model.target_embedding.weight, {1, 7, 3});
  expect_same("x", model.embed(model.target_embedding, ids).view({3, 12}),
              rows + sinusoidal_positions(3, 12));
}

TEST_CASE("transformer: sharing and tying leave one table with one name") {
  Transformer model = golden_model("pre");
  CHECK(model.source_embedding.weight.key() == model.target_embedding.weight.key());
  CHECK(model.output.weight.key() == model.target_embedding.weight.key());
  int tables = 0;
  for (const NamedParameter& p : parameters(model)) tables += p.tensor->shape() == Shape{14, 12};
  CHECK(tables == 1);
  CHECK(parameters(model)[0].name == "source_embedding.weight");
}

TEST_CASE("transformer: attention maps for every layer, and recording them changes nothing") {
  const Transformer model = golden_model("post");
  const Batch batch = golden_batch("post", 0);
  const Tensor plain = model(batch.source, batch.target);
  Recorder recorder;
  expect_same("logits", model(batch.source, batch.target), plain);
  CHECK(recorder.all("encoder.layers.*.self_attention.weights").size() == 2);
  CHECK(recorder.all("decoder.layers.*.cross_attention.weights").size() == 3);
  const auto shape = [&](const char* path) { return recorder.of(path).shape(); };
  CHECK(shape("encoder.layers.1.self_attention.weights") == Shape{3, 3, 5, 5});
  CHECK(shape("decoder.layers.2.self_attention.weights") == Shape{3, 3, 6, 6});
  CHECK(shape("decoder.layers.2.cross_attention.weights") == Shape{3, 3, 6, 5});
  CHECK(shape("decoder.layers.2.output") == Shape{3, 6, 12});
}

TEST_CASE("transformer: ids and batches that do not fit are refused") {
  const Transformer model = golden_model("post");
  expect_error([&] { model(Ids({1, 2}, {11, 2}), Ids({1, 1}, {1})); }, {"embedding: ", "11"});
  expect_error([&] { model(Ids({1, 2}, {4, 2}), Ids({1, 1}, {13})); }, {"embedding: ", "13"});
  expect_error(
      [&] {
        model(Ids({1, 2}, {4, 2}), Ids({2, 1}, {1, 1}));
      },
      {"matmul: ", "(2, 3, 1, 4)", "(1, 3, 2, 4)"});
}

TEST_CASE("transformer: sizes that make no model are refused, naming the field") {
  const auto with = [](auto change) {
    TransformerConfig config = golden_config("post");
    change(config);
    return user_error([&] { layer_sizes(config); });
  };
  CHECK(with([](TransformerConfig&) {}).empty());
  expect_parts(with([](TransformerConfig& c) { c.heads = 5; }), {"heads"});
  expect_parts(with([](TransformerConfig& c) { c.dropout = 1; }), {"dropout"});
}

}  // namespace xf::test
