#include "09_since_2017/program/layer_walk.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "09_since_2017/program/published_model.hpp"
#include "io/files.hpp"
#include "speech/show.hpp"
#include "support/golden.hpp"

// Against what `transformers` says of the same models (golden/attentions.py).
namespace xf::test {

namespace {

constexpr int tokens = 16;

struct Walked {
  PublishedModel published;
  since_2017::LayerWalk walk;

  explicit Walked(const std::string& directory)
      : published(load_published_model(directory)), walk(published.model, ids_of(directory)) {}

  static std::vector<int> ids_of(const std::string& directory) {
    auto ids = nlohmann::json::parse(read_file(directory + "/expected.json"))["ids"]
                   .get<std::vector<int>>();
    ids.resize(tokens);
    return ids;
  }
};

}  // namespace

TEST_CASE("layer_walk: weights, streams and a removed head are those of the library") {
  const Golden golden("attentions.safetensors");
  for (const std::string name : {"gpt2-plain", "llama-plain", "qwen2-plain"}) {
    CAPTURE(name);
    const Walked it(XF_TEST_DATA "/published/" + name);
    const auto& model = it.published.model;
    for (int i = 0; i < model.config.layers; ++i) {
      CHECK(max_difference(it.walk.weights(i), golden(name + ".weights." + std::to_string(i))) <
            1e-5);
      CHECK(max_difference(it.walk.stream(i), golden(name + ".stream." + std::to_string(i))) <
            1e-5);
    }
    // The library's last state is behind the last norm.
    CHECK(max_difference(model.final_norm(it.walk.stream(model.config.layers)),
                         golden(name + ".stream." + std::to_string(model.config.layers))) < 1e-4);
    CHECK(max_difference(model.output(model.final_norm(it.walk.without({{0, 1}}))),
                         golden(name + ".without")) < 1e-4);
  }
}

TEST_CASE("layer_walk: without a head the loss is another, without none the same") {
  const Walked it(XF_TEST_DATA "/published/llama-plain");
  const Tensor whole = it.walk.stream(it.published.model.config.layers);
  CHECK(max_difference(it.walk.without({}), whole) == 0);
  CHECK(max_difference(it.walk.without({{1, 0}}), whole) > 1e-3);
  // Heads of several layers at once differ from each alone.
  const Tensor both = it.walk.without({{0, 1}, {1, 0}});
  CHECK(max_difference(both, it.walk.without({{0, 1}})) > 1e-3);
  CHECK(max_difference(both, it.walk.without({{1, 0}})) > 1e-3);
}

}  // namespace xf::test
