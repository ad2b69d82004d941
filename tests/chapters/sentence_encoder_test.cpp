#include "05_encoder/program/sentence_encoder.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "05_encoder/program/sentence_map.hpp"
#include "io/files.hpp"
#include "ops/shape/shape_ops.hpp"
#include "support/errors.hpp"
#include "support/repeated.hpp"
#include "support/temporary.hpp"
#include "tensor/random.hpp"

// The directories of golden/published_encoders: random models that `transformers` has made, and the
// vectors of its last states (golden/encoder_models.py).
namespace xf::test {

namespace {

using Json = nlohmann::json;

const std::string goldens = XF_TEST_DATA "/published_encoders";

double apart(const Tensor& ours, const Json& theirs) {
  const Values numbers = ours.values();
  double most = 0;
  for (int row = 0; row < ours.size(0); ++row)
    for (int i = 0; i < ours.size(1); ++i)
      most = std::max(most, std::abs(double(numbers[row * ours.size(1) + i]) -
                                     theirs[std::size_t(row)][std::size_t(i)].get<double>()));
  return most;
}

Tensor directions_of(const PublishedEncoder& encoder, const std::vector<std::vector<int>>& ids) {
  std::vector<Stretch> stretches;
  for (const std::vector<int>& sentence : ids)
    stretches.push_back({0, static_cast<int>(sentence.size())});
  return mean_directions(encoder.states(ids), stretches);
}

}  // namespace

TEST_CASE("sentence_encoder: tokens and vectors are those of the library") {
  const std::vector<std::string> names = directory_entries(goldens);
  REQUIRE(names.size() == 2);
  for (const std::string& name : names) {
    CAPTURE(name);
    const PublishedEncoder encoder = PublishedEncoder::load(goldens + "/" + name);
    const SentenceEncoder& model = encoder.model;
    CHECK(model(Ids::full({2, 3}, 5), Mask()).shape() == Shape{2, 3, 16});
    const Json golden = Json::parse(read_file(goldens + "/" + name + "/expected.json"));
    const auto ids = golden["ids"].get<std::vector<std::vector<int>>>();
    for (std::size_t i = 0; i < ids.size(); ++i)
      CHECK(encoder.tokens(golden["sentences"][i].get<std::string>(), "a sentence") == ids[i]);
    for (const Json& line : golden["lines"])
      CHECK(encoder.tokenizer.encode(line[0].get<std::string>()) ==
            line[1].get<std::vector<int>>());
    const Tensor together = directions_of(encoder, ids);  // the shorter ones are filled up
    CHECK(apart(together, golden["vectors"]) <= 1e-5);
    for (std::size_t i = 0; i < ids.size(); ++i)
      CHECK(apart(directions_of(encoder, {ids[i]}), Json::array({golden["vectors"][i]})) <= 1e-5);
  }
}

TEST_CASE("sentence_encoder: what it cannot be is named") {
  const auto refuses = [](const std::string& file, const std::string& from, const std::string& to,
                          std::initializer_list<const char*> said) {
    const TemporaryDirectory copy;
    for (const char* name : {"config.json", "model.safetensors", "tokenizer.json"})
      copy.file(name, read_file(goldens + "/bert-plain/" + name));
    if (from.empty()) {
      std::filesystem::create_directory(copy.path + "/1_Pooling");
      copy.file(file, to);
    } else {
      std::string text = read_file(copy.path + "/" + file);
      const std::size_t at = text.find(from);
      REQUIRE(at != text.npos);
      copy.file(file, text.replace(at, from.size(), to));
    }
    expect_user_error([&] { PublishedEncoder::load(copy.path); }, said);
  };
  const std::string config = "config.json";
  refuses(config, "\"bert\"", "\"llama\"", {"model_type: expected an encoder of type bert"});
  refuses(config, "\"gelu\"", "\"gelu_new\"",
          {"hidden_act: expected relu, gelu, swish or silu, not gelu_"});
  refuses(config, "\"num_attention_heads\": 2", "\"num_attention_heads\": 3",
          {"num_attention_heads: 3 does not divide hidden_size 16"});
  refuses(config, "\"num_hidden_layers\": 2", "\"num_hidden_layers\": 3",
          {"model.safetensors: encoder.layer.2.", "is missing"});
  refuses(config, "\"num_hidden_layers\": 2", "\"num_hidden_layers\": 1",
          {"model.safetensors: this kind of model has no encoder.layer.1."});
  refuses(config, "\"vocab_size\": 300", "\"vocab_size\": 100",
          {"vocab_size: 100, but the tokenizer has the id 172"});
  refuses("model.safetensors", "embeddings.LayerNorm.bias", "embeddings.LayerNorm.bia_",
          {"embeddings.LayerNorm.bias is missing"});
  refuses("tokenizer.json", "\"unk_token\":\"[UNK]\"", "\"unk_token\":\"[X]\"",
          {"model.unk_token: [X] is not a token"});
  refuses("1_Pooling/config.json", "", R"({"pooling_mode_mean_tokens": false})",
          {"pooling_mode_mean_tokens: expected true"});
  refuses("1_Pooling/config.json", "", R"({"pooling_mode_max_tokens": true})",
          {"pooling_mode_max_tokens: expected false"});
  refuses("modules.json", "", R"([{"type": "models.Normalize"}, {"type": "models.Dense"}])",
          {"modules[1].type: expected Transformer, Pooling or Normalize, not Dense"});
  const PublishedEncoder encoder = PublishedEncoder::load(goldens + "/bert-plain");
  expect_user_error([&] { encoder.tokens(repeated("a ", 39), "names.txt:3"); },
                    {"names.txt:3: 41 tokens, but the model has only 40 positions"});
}

// Three groups of directions: two of a group differ by little, those of two groups are at right
// angles. In the plane the nearest point is of the same group, and a seed gives the same points.
TEST_CASE("the plane keeps who is close to whom") {
  constexpr int each = 8, count = 3 * each;
  Random random(3);
  std::vector<float> x(count * 3);
  for (int i = 0; i < count; ++i) {
    double norm = 0;
    for (int c = 0; c < 3; ++c) {
      const double at = (i / each == c) + 0.1 * random.normal();
      x[std::size_t(3 * i + c)] = float(at), norm += at * at;
    }
    for (int c = 0; c < 3; ++c) x[std::size_t(3 * i + c)] /= float(std::sqrt(norm));
  }
  const Tensor directions = Tensor::from({count, 3}, x);
  using lesson_05::plane_of;
  const auto y = plane_of(directions, 1);
  for (int i = 0; i < count; ++i) {
    int nearest = -1;
    double least = INFINITY;
    for (int j = 0; j < count; ++j) {
      const double distance = std::hypot(y[i].x - y[j].x, y[i].y - y[j].y);
      if (i != j && distance < least) nearest = j, least = distance;
    }
    CHECK(nearest / each == i / each);
  }
  CHECK(plane_of(directions, 1)[0].x == y[0].x);
  CHECK(plane_of(directions, 2)[0].x != y[0].x);
  const auto is_finite = [](const auto& points) {
    return std::all_of(points.begin(), points.end(),
                       [](auto at) { return std::isfinite(at.x) && std::isfinite(at.y); });
  };
  CHECK(is_finite(plane_of(slice(directions, 0, 7, 3), 1)));   // the fewest
  CHECK(is_finite(plane_of(Tensor::full({40, 4}, 0.5f), 1)));  // all of them equal
}

}  // namespace xf::test
