#include <doctest/doctest.h>

#include <cmath>

#include "08_transformer_xl/program/state_dict.hpp"
#include "io/config.hpp"
#include "io/safetensors.hpp"
#include "support/errors.hpp"
#include "support/language_models.hpp"
#include "support/temporary.hpp"

// The 40 models of golden/xl_published.py: the published code's state, and its losses.

namespace xf::test {

namespace {

constexpr int segments = 4;
constexpr double relative = 1e-6;

const SafeTensors& golden() {
  static const SafeTensors file = load_safetensors(XF_TEST_DATA "/xl_published.safetensors");
  return file;
}

const Tensor& golden(const std::string& name) { return golden().tensors.at(name); }

// The state of one model, as a file.
void write_state(const std::string& path, const std::string& name) {
  NamedTensors tensors;
  const std::string below = name + "/state/";
  for (const auto& [full, tensor] : golden().tensors)
    if (full.starts_with(below)) tensors.emplace_back(full.substr(below.size()), tensor);
  save_safetensors(path, tensors);
}

AnySegmentModel fresh(const std::string& name) {
  Random random(1);
  const auto config = from_json<TransformerXlConfig>(golden().metadata.at(name), name);
  return {config, random};
}

// The published code has no norm at the end: under its names that of ours has none.
std::vector<StateEntry> entries_of(AnySegmentModel& model) {
  const FinalNorm final_norm = std::exchange(model.config.final_norm, FinalNorm::never);
  std::vector<StateEntry> entries = language::state_entries(model);
  model.config.final_norm = final_norm;
  if (final_norm == FinalNorm::never) return entries;
  LayerNorm& norm = std::get<TransformerXl>(model.stack.kind).stack.final_norm;
  entries.push_back({"final.layer_norm.weight", {{&norm.gamma}}});
  entries.push_back({"final.layer_norm.bias", {{&norm.beta}}});
  return entries;
}

AnySegmentModel imported(const std::string& name) {
  const TemporaryDirectory directory;
  write_state(directory / "state", name);
  AnySegmentModel model = fresh(name);
  load_state(directory / "state", entries_of(model));
  return model;
}

struct PublishedSegment {
  Ids ids, expected;
};
PublishedSegment segment_of(const std::string& name, const AnySegmentModel& model, int s) {
  const Values numbers = golden(name + "/ids").values();
  const Ids stream(golden(name + "/ids").shape(),
                   std::vector<std::int32_t>(numbers.begin(), numbers.end()));
  const int begin = s * model.config.segment, end = begin + model.config.segment;
  return {columns(stream, begin, end), columns(stream, begin + 1, end + 1)};
}

}  // namespace

TEST_CASE("published transformer_xl: 40 models have the losses of the published code") {
  CHECK(golden().metadata.size() == 40);
  double widest = 0;
  for (const auto& stored : golden().metadata) {
    const std::string& name = stored.first;
    const AnySegmentModel model = imported(name);
    Memory states = model.start(), keys = model.start(Remembered::keys);
    const Values losses = golden(name + "/losses").values();
    for (int s = 0; s < segments; ++s) {
      const PublishedSegment segment = segment_of(name, model, s);
      const double wanted = losses.begin()[s];
      const double trained = model.loss(segment.ids, segment.expected, states).item();
      double evaluated = 0;  // as `evaluate` does, with keys in the memory
      const Tensor h = model.hidden(segment.ids, keys);
      for (const float log_p : model.output.log_likelihood(h, segment.expected)) evaluated -= log_p;
      evaluated /= double(segment.expected.count());
      CHECK_MESSAGE(std::abs(trained / wanted - 1) < relative, name << " segment " << s);
      CHECK_MESSAGE(std::abs(evaluated / wanted - 1) < relative, name << " segment " << s);
      widest = std::max({widest, std::abs(trained / wanted - 1), std::abs(evaluated / wanted - 1)});
    }
  }
  MESSAGE("the largest relative difference is " << widest);
}

TEST_CASE("published transformer_xl: what is read, written and read again is the same") {
  const TemporaryDirectory directory;
  const std::string first = directory / "first", second = directory / "second";
  for (const auto& stored : golden().metadata) {
    const std::string& name = stored.first;
    AnySegmentModel model = imported(name), again = fresh(name);
    save_state(first, entries_of(model));
    load_state(first, entries_of(again));
    const std::vector<NamedParameter> one = parameters(model), other = parameters(again);
    for (std::size_t i = 0; i < one.size(); ++i)
      expect_same(name + "/" + one[i].name, *one[i].tensor, *other[i].tensor);
    save_state(second, entries_of(again));
    CHECK(load_safetensors(first).tensors.size() == load_safetensors(second).tensors.size());
    // The published tensors, each under the first of its names.
    for (const auto& [key, tensor] : load_safetensors(second).tensors)
      if (key != "pos_emb.inv_freq") expect_same(key, tensor, golden(name + "/state/" + key));
  }
}

TEST_CASE("published transformer_xl: gradients match finite differences, all options at once") {
  TransformerXlConfig config = small("pre");
  config.layers = 1;
  config.cutoffs = "3,6";
  config.d_embed = 6;
  config.div_val = 2;
  config.tied_projections = TiedProjections::clusters;
  config.d_head = 3;
  AnySegmentModel model = lively_model(config, 1);
  check_second_segment("transformer_xl", model, Ids({2, 3}, {0, 7, 3, 8, 5, 2}));
}

TEST_CASE("published transformer_xl: a fresh model's projections are drawn as published") {
  TransformerXlConfig config = small("post");
  config.d_model = 64;
  config.vocabulary = 100;
  config.d_embed = 48;
  config.div_val = 2;
  config.cutoffs = "20,50";
  auto model = drawn<AnySegmentModel>(1, config);
  int projections = 0;
  for (const NamedParameter& p : parameters(model)) {
    if (p.name.find("projections") == p.name.npos) continue;
    double squares = 0;
    for (const float x : p.tensor->values()) squares += double(x) * x / double(p.tensor->count());
    CHECK_MESSAGE(std::sqrt(squares) == doctest::Approx(0.01).epsilon(0.1), p.name);
    ++projections;
  }
  CHECK(projections == 6);
}

TEST_CASE("published transformer_xl: what makes no model, or none of the published code") {
  const auto refusal = [](auto change, bool published) {
    TransformerXlConfig config = small("post");
    config.activation = Activation::relu;
    change(config);
    return user_error([&] {
      auto made = drawn<AnySegmentModel>(1, config);
      if (published) language::state_entries(made);
    });
  };
  using Config = TransformerXlConfig;
  CHECK(refusal([](Config&) {}, true).empty());
  CHECK(refusal([](Config& c) { c.d_embed = -1; }, false).starts_with("d_embed: "));
  CHECK(refusal([](Config& c) { c.d_head = -1; }, false).starts_with("d_head: "));
  CHECK(refusal([](Config& c) { c.div_val = 0; }, false).starts_with("div_val: "));
  CHECK(refusal([](Config& c) { c.div_val = 5, c.cutoffs = "3"; }, false)
            .starts_with("div_val: dividing d_embed 4 leaves no dimension for the last cluster"));
  CHECK(refusal([](Config& c) { c.tied_projections = TiedProjections::all; }, false)
            .starts_with("tied_projections: without d_embed or div_val"));
  CHECK(refusal([](Config& c) { c.kind = ModelKind::recurrent_vanilla, c.d_head = 3; }, false)
            .starts_with("d_head: "));
  CHECK(refusal([](Config& c) { c.kind = ModelKind::vanilla, c.memory = 0; }, true)
            .starts_with("kind: "));
  CHECK(refusal([](Config& c) { c.untie = true; }, true).starts_with("untie: "));
  CHECK(refusal([](Config& c) { c.norm = NormOrder::pre; }, true).starts_with("final_norm: "));
  CHECK(refusal([](Config& c) { c.activation = Activation::gelu; }, true)
            .starts_with("activation: "));
}

TEST_CASE("state_file: a file that does not fit is named with its tensor, and changes nothing") {
  const TemporaryDirectory directory;
  const std::string path = directory / "state", name = "div_val";
  AnySegmentModel model = imported(name);
  const std::vector<StateEntry> entries = entries_of(model);
  const Tensor before = detach(model.embedding.weight);
  save_state(path, entries);
  const std::map<std::string, Tensor> whole = load_safetensors(path).tensors;
  const auto refusal = [&](auto change, const std::string& message) {
    std::map<std::string, Tensor> tensors = whole;
    change(tensors);
    save_safetensors(path, NamedTensors(tensors.begin(), tensors.end()));
    expect_user_error([&] { load_state(path, entries); }, {"state: ", message.c_str()});
    expect_same("embedding", model.embedding.weight, before);
  };
  using Tensors = std::map<std::string, Tensor>;
  refusal([](Tensors& t) { t.erase("r_r_bias"); }, "no tensor r_r_bias");
  refusal([](Tensors& t) { t["extra"] = Tensor::zeros({1}); }, "the model has no tensor extra");
  refusal(
      [](Tensors& t) {
        t["word_emb.emb_projs.1"] = Tensor::zeros({8, 3});
      },
      "word_emb.emb_projs.1 is (8, 3), but the model needs (8, 4)");
  refusal([](Tensors& t) { t["r_w_bias"] = Tensor::full({2, 4}, NAN); }, "r_w_bias");
  refusal(
      [](Tensors& t) {
        t["crit.out_layers.1.weight"] = Tensor::zeros({6, 4});
      },
      "word_emb.emb_layers.1.weight and crit.out_layers.1.weight differ");
  refusal([](Tensors& t) { t["pos_emb.inv_freq"] = Tensor::zeros({4}); },
          "pos_emb.inv_freq is not what the model computes");
}

}  // namespace xf::test
