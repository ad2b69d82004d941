#include "08_transformer_xl/transformer_xl.hpp"

#include "support/errors.hpp"
#include "support/golden.hpp"
#include "support/language_models.hpp"
#include "train/adam.hpp"

namespace xf::test {

namespace {

const Golden& xl_golden() {
  static const Golden golden("transformer_xl.safetensors");
  return golden;
}

// The variants of golden/xl_reference.py.
struct Variant {
  std::string name;
  TransformerXlConfig config;
  double weight_decay = 0;
};

template <class Change>
Variant variant(const std::string& name, const Change& change, double weight_decay = 0) {
  TransformerXlConfig c{.vocabulary = 11, .d_model = 6, .d_ff = 10, .heads = 3, .layers = 2};
  c.segment = c.memory = 4;
  c.dropout = c.attention_dropout = 0;
  change(c);
  return {name, c, weight_decay};
}

std::vector<Variant> variants() {
  using Config = TransformerXlConfig;
  return {
      variant("base", [](Config&) {}),
      variant("short_memory", [](Config& c) { c.memory = 2; }),
      variant("long_memory", [](Config& c) { c.segment = 3, c.memory = 7; }),
      variant("no_memory", [](Config& c) { c.memory = 0; }),
      variant("same_length", [](Config& c) { c.segment = 3, c.same_length = true; }),
      variant("same_length_short", [](Config& c) { c.memory = 2, c.same_length = true; }),
      variant("extended", [](Config& c) { c.segment = 3, c.extended = 2; }),
      variant("extended_beyond_segment",
              [](Config& c) { c.segment = 1, c.memory = 3, c.extended = 2; }),
      variant("pre", [](Config& c) { c.norm = NormOrder::pre, c.activation = Activation::gelu; }),
      variant("pre_published",
              [](Config& c) { c.norm = NormOrder::pre, c.final_norm = FinalNorm::never; }),
      variant("untied", [](Config& c) { c.untie = true, c.tied = false; }),
      variant("clamp", [](Config& c) { c.memory = 6, c.clamp = 3; }),
      variant("adaptive", [](Config& c) { c.vocabulary = 17, c.cutoffs = "5,11"; }),
      variant(
          "all",
          [](Config& c) {
            c.vocabulary = 17, c.cutoffs = "7", c.norm = NormOrder::pre,
            c.activation = Activation::silu;
            c.untie = c.same_length = true, c.segment = 3, c.memory = 5, c.extended = 2;
            c.clamp = 5;
          },
          2),
      variant("recurrent_vanilla",
              [](Config& c) {
                c.kind = ModelKind::recurrent_vanilla, c.memory = 5, c.norm = NormOrder::pre;
              }),
      variant("lstm", [](Config& c) { c.kind = ModelKind::lstm, c.memory = 0; }),
      variant("lstm_deep",
              [](Config& c) {
                c.kind = ModelKind::lstm, c.memory = 0, c.d_ff = 7, c.layers = 3;
                c.tied = false, c.cutoffs = "7";
              }),
  };
}

AnySegmentModel golden_model(const Variant& v) {
  auto model = drawn<AnySegmentModel>(1, v.config);
  fill(parameters(model), xl_golden(), v.name + "/param/");
  return model;
}

// Segment s repeats the extended tokens before it; the loss is over the new ones.
struct Segment {
  Ids ids, expected;
};
Segment segment_of(const Ids& stream, const TransformerXlConfig& c, int s) {
  const int begin = s * c.segment, end = begin + c.segment;
  return {columns(stream, std::max(0, begin - c.extended), end),
          columns(stream, begin + 1, end + 1)};
}

// The slowest cosine of R_d is 1 for every distance here, up to 3e-4, so that the last column of
// w_r adds almost the same number to all scores of a row: softmax cancels it, as it does a key
// bias (golden.hpp). Its gradient is next to nothing, and Adam blows up the round-off of it. What
// softmax sees of w_r are the differences W_kR (R_d - R_0): these are compared, and the columns
// that matter. A key bias has no gradient but round-off at all, and takes no part (golden.hpp).
void expect_final(const Tensor& got, const Tensor& want, const std::string& name) {
  if (name.ends_with("w_k.bias")) return;
  if (!name.ends_with("w_r.weight")) return expect_close(name, got, want, trajectory);
  const int d_model = got.size(1);
  expect_close(name, slice(got, 1, 0, d_model - 1), slice(want, 1, 0, d_model - 1), trajectory);
  const auto seen = [d_model](const Tensor& w_r) {
    const Tensor projected = linear(relative_positions(12, d_model), w_r, {});  // (12, D)
    return projected + scale(reshape(slice(projected, 0, 11, 1), {d_model}), -1);
  };
  expect_close(name + " (R_d - R_0)", seen(detach(got)), seen(want), trajectory);
}

}  // namespace

// ---- parity with PyTorch ------------------------------------------------------------------------

TEST_CASE("segment_model: three segments with memory agree with PyTorch, and every gradient") {
  for (const Variant& v : variants()) {
    AnySegmentModel model = golden_model(v);
    const Ids stream = xl_golden().ids(v.name + "/ids");
    Memory memory = model.start(), for_logits = model.start();
    Gradients gradients;
    std::vector<float> losses;
    for (int s = 0; s < 3; ++s) {
      const Segment segment = segment_of(stream, v.config, s);
      const std::string logits = v.name + "/logits." + std::to_string(s);
      expect_close(logits, model(segment.ids, for_logits), xl_golden()(logits));
      Tape tape;
      const Tensor loss = model.loss(segment.ids, segment.expected, memory);
      losses.push_back(loss.item());
      tape.backward(loss, gradients);
    }
    expect_close(v.name + "/losses", numbers(losses), xl_golden()(v.name + "/losses"));
    CHECK(memory.present_length() == xl_golden()(v.name + "/past").item());
    for (std::size_t i = 0; memory.present_length() > 0 && i < memory.layers.size(); ++i) {
      const std::string states = v.name + "/memory." + std::to_string(i);
      expect_close(states, memory.layers[i].states, xl_golden()(states));
    }
    expect_gradients(parameters(model), gradients, xl_golden(), v.name + "/grad/");
  }
}

TEST_CASE("segment_model: ten updates with memory follow PyTorch's trajectory") {
  for (const Variant& v : variants()) {
    AnySegmentModel model = golden_model(v);
    const Ids stream = xl_golden().ids(v.name + "/ids");
    Adam adam(parameters(model),
              {.beta1 = 0.9, .beta2 = 0.98, .epsilon = 1e-9, .weight_decay = v.weight_decay});
    Memory memory = model.start();
    Gradients gradients;
    std::vector<float> losses;
    for (int s = 0; s < 10; ++s) {
      const Segment segment = segment_of(stream, v.config, s);
      Tape tape;
      const Tensor loss = model.loss(segment.ids, segment.expected, memory);
      gradients.reset();
      tape.backward(loss, gradients);
      losses.push_back(loss.item());
      adam.step(gradients, 1e-3);
    }
    const std::string want = v.name + "/train_losses";
    expect_close(want, numbers(losses), xl_golden()(want), trajectory);
    for (const NamedParameter& p : parameters(model))
      expect_final(*p.tensor, xl_golden()(v.name + "/final/" + p.name), v.name + "/" + p.name);
  }
}

TEST_CASE("vanilla: logits, loss and every named gradient agree with PyTorch") {
  auto model = drawn<AnySegmentModel>(1, as_vanilla(variants()[0].config));
  fill(parameters(model), xl_golden(), "vanilla/param/");
  const Ids ids = xl_golden().ids("vanilla/ids");
  const Ids input = columns(ids, 0, 5), expected = columns(ids, 1, 6);
  Memory memory = model.start();
  expect_close("logits", model(input, memory), xl_golden()("vanilla/logits"));
  Tape tape;
  const Tensor loss = model.loss(input, expected, memory);
  expect_close("loss", loss, xl_golden()("vanilla/loss"));
  expect_gradients(parameters(model), tape.backward(loss), xl_golden(), "vanilla/grad/");
}

// ---- the model ----------------------------------------------------------------------------------

TEST_CASE("transformer_xl: with enough memory, segments give the logits of the whole text") {
  for (const std::string norm : {"post", "pre"})
    for (int extended : {0, 2}) {
      TransformerXlConfig config = small(norm);
      config.memory = 12;
      config.extended = extended;
      const AnySegmentModel model = lively_model(config, 1);
      const Ids text = random_ids({2, 12}, 9, 3);
      Memory whole = model.start(), memory = model.start();
      const Tensor logits = model(text, whole);
      for (int s = 0; s < 4; ++s) {
        const int begin = std::max(0, 3 * s - extended), end = 3 * s + 3;
        const Tensor part = model(columns(text, begin, end), memory);
        expect_close("segment", part, slice(logits, 1, begin, end - begin), 1e-5);
      }
    }
}

TEST_CASE("vanilla: attention weights for every layer, with and without a memory") {
  for (const ModelKind kind : {ModelKind::vanilla, ModelKind::recurrent_vanilla}) {
    const auto model = drawn<AnySegmentModel>(1, small("pre", kind));
    Memory memory = model.start();
    model.hidden(random_ids({2, 3}, 9, 2), memory);
    Recorder recorder({"weights"});
    model.hidden(random_ids({2, 3}, 9, 3), memory);
    const std::vector<Tensor> weights = recorder.all("encoder.layers.*.self_attention.weights");
    REQUIRE(weights.size() == 2);
    CHECK(weights[1].shape() == Shape{2, 2, 3, kind == ModelKind::vanilla ? 3 : 6});
  }
}

TEST_CASE("transformer_xl: later ids leave earlier logits bit for bit") {
  const AnySegmentModel model = lively_model(small("pre"), 1);
  Memory memory = model.start();
  model.hidden(random_ids({1, 3}, 9, 2), memory);
  Memory a = memory, b = memory;
  const Tensor one = model(Ids({1, 3}, {1, 2, 3}), a), other = model(Ids({1, 3}, {1, 2, 8}), b);
  expect_same("past", slice(one, 1, 0, 2), slice(other, 1, 0, 2));
  CHECK(!difference("present", slice(one, 1, 2, 1), slice(other, 1, 2, 1)).empty());
}

TEST_CASE("transformer_xl: a small model's gradients match finite differences") {
  for (const std::string norm : {"post", "pre"}) {
    TransformerXlConfig config = small(norm);
    config.layers = 1;
    config.untie = norm == "pre";
    config.cutoffs = norm == "pre" ? "4,6" : "";
    config.dropout = config.attention_dropout = 0.1;
    AnySegmentModel model = lively_model(config, 1);
    model.embedding_dropout = norm == "pre" ? 0.4f : 0;
    check_second_segment("transformer_xl", model);
  }
}

TEST_CASE("transformer_xl: attention weights for every layer, and recording changes nothing") {
  const AnySegmentModel model = lively_model(small("post"), 1);
  Memory a = model.start(), b = model.start();
  model.hidden(random_ids({2, 3}, 9, 2), a);
  model.hidden(random_ids({2, 3}, 9, 2), b);
  const Ids ids = random_ids({2, 2}, 9, 3);
  const Tensor plain = model(ids, a);
  Recorder recorder;
  expect_same("logits", model(ids, b), plain);
  const std::vector<Tensor> weights = recorder.all("layers.*.attention.weights");
  REQUIRE(weights.size() == 2);
  CHECK(weights[1].shape() == Shape{2, 2, 2, 5});
  Memory keys = model.start(Remembered::keys);
  model(random_ids({2, 3}, 9, 2), keys);
  model(ids, keys);
  for (const std::string layer : {"layers.0.", "layers.1."}) {
    const std::string path = layer + "attention.weights";
    expect_close(path, recorder.of(path), weights[layer == "layers.1."], 2e-6);
  }
}

// ---- initial parameters, sizes, refusals --------------------------------------------------------

TEST_CASE("transformer_xl: the initial parameters are those of the published code") {
  TransformerXlConfig config{.vocabulary = 500};
  config.untie = true;
  auto model = drawn<AnySegmentModel>(1, config);
  for (const NamedParameter& p : parameters(model)) {
    double mean = 0, squares = 0;
    for (float x : p.tensor->values()) mean += x / double(p.tensor->count());
    for (float x : p.tensor->values()) squares += std::pow(x - mean, 2) / double(p.tensor->count());
    const bool zero = p.name.ends_with("bias") || p.name.ends_with("beta");
    const double deviation = zero ? 0 : 0.02, root_n = std::sqrt(double(p.tensor->count()));
    CHECK_MESSAGE(std::abs(mean - (p.name.ends_with("gamma") ? 1 : 0)) <= 5 * deviation / root_n,
                  p.name);
    CHECK_MESSAGE(std::abs(std::sqrt(squares) - deviation) <= 4 * deviation / root_n, p.name);
  }
}

TEST_CASE("vanilla_equal: both models have as many parameters, to half a hidden unit a layer") {
  for (bool untie : {false, true})
    for (int d_model : {16, 128}) {
      TransformerXlConfig config{.vocabulary = 65};
      config.d_model = d_model;
      config.untie = untie;
      Random random(1);
      AnySegmentModel xl(config, random);
      AnySegmentModel vanilla(as_vanilla(vanilla_equal(config)), random);
      const auto gap = parameter_count(parameters(xl)) - parameter_count(parameters(vanilla));
      CHECK(std::abs(static_cast<double>(gap)) <= config.layers * (2 * d_model + 1) / 2.0);
    }
}

TEST_CASE("transformer_xl: u and v are one pair, untied one pair per layer") {
  const auto count = [](bool untie) {
    TransformerXlConfig config = small("post");
    config.untie = untie;
    auto model = drawn<AnySegmentModel>(1, config);
    return parameter_count(parameters(model));
  };
  CHECK(count(true) - count(false) == 2 * 4);
}

TEST_CASE("transformer_xl: what does not fit is refused") {
  const AnySegmentModel model = lively_model(small("post"), 1);
  Memory memory = model.start();
  model.hidden(random_ids({2, 3}, 9, 2), memory);
  expect_error(
      [&] {
        model(random_ids({1, 3}, 9, 2), memory);
      },
      {"segment_model: ", "(2, 3, 4)", "(1, 3)"});
  CHECK(memory.present_length() == 3);  // and the memory is as before
  expect_error(
      [] { segment_mask({.query_length = 2, .present_length = 0, .memory_length = 0}, true); },
      {"same_length"});

  const auto refusal = [](auto change) {
    TransformerXlConfig config = small("post");
    change(config);
    return user_error([&] { drawn<AnySegmentModel>(1, config); });
  };
  using Config = TransformerXlConfig;
  CHECK(refusal([](Config&) {}).empty());
  CHECK(refusal([](Config& c) { c.heads = 3; }).starts_with("heads"));
  CHECK(refusal([](Config& c) { c.layers = 0; }).starts_with("layers"));
  CHECK(refusal([](Config& c) { c.segment = 0; }).starts_with("segment"));
  CHECK(refusal([](Config& c) { c.memory = -1; }).starts_with("memory"));
  CHECK(refusal([](Config& c) { c.memory = 0, c.same_length = true; }).starts_with("memory"));
  CHECK(refusal([](Config& c) { c.attention_dropout = 1; }).starts_with("attention_dropout"));
  CHECK(refusal([](Config& c) { c.vocabulary = -1; }).starts_with("vocabulary"));
  for (const char* cutoffs : {"0", "3,3", "5,2", "9", "3,x", ",", "99999999999"})
    CHECK_MESSAGE(refusal([&](Config& c) { c.cutoffs = cutoffs; }).starts_with("cutoffs"), cutoffs);
}

}  // namespace xf::test
