#include "io/published_weights.hpp"

#include <doctest/doctest.h>

#include "io/files.hpp"
#include "io/json_object.hpp"
#include "io/safetensors.hpp"
#include "support/errors.hpp"
#include "support/raw_bytes.hpp"
#include "support/temporary.hpp"

namespace xf::test {

namespace {

std::string one_tensor(const std::string& dtype, const std::string& shape,
                       const std::string& data) {
  return counted(R"({"w":{"dtype":")" + dtype + R"(","shape":)" + shape + R"(,"data_offsets":[0,)" +
                 std::to_string(data.size()) + "]}}") +
         data;
}

const std::string ones_bf16 = std::string("\x80\x3f\x00\xc0", 4);  // 1, -2
const std::string ones_f16 = std::string("\x00\x3c\x00\xc0", 4);   // 1, -2

}  // namespace

TEST_CASE("published_weights: bf16, float16 and float32 are float32, the last ones in the file") {
  const TemporaryDirectory directory;
  const std::string path = directory / "model.safetensors";
  write_file_atomically(path, one_tensor("BF16", "[2]", ones_bf16));
  CHECK(PublishedWeights(directory.path).take("w").values() == std::vector<float>{1, -2});
  write_file_atomically(path, one_tensor("F16", "[1,2]", ones_f16));
  CHECK(PublishedWeights(directory.path).take("w", {1, 2}).values() == std::vector<float>{1, -2});
  save_safetensors(path, {{"w", Tensor::from({3}, {1, 2, 3})}});
  Tensor kept;
  {
    PublishedWeights weights(directory.path);
    kept = weights.take("w");
    CHECK(kept.values().begin() == weights.take("w").values().begin());  // not copied
  }
  copy_into(kept, {7});  // the file is mapped still, and does not change
  CHECK(kept.values() == std::vector<float>{7, 2, 3});
  CHECK(PublishedWeights(directory.path).take("w").values() == std::vector<float>{1, 2, 3});
}

TEST_CASE("published_weights: shards are found by the index") {
  const TemporaryDirectory directory;
  save_safetensors(directory / "a.safetensors", {{"v", Tensor::from({1}, {1})}});
  save_safetensors(directory / "b.safetensors", {{"w", Tensor::from({2}, {2, 3})}});
  const std::string index = directory / "model.safetensors.index.json";
  write_file_atomically(index, R"({"weight_map": {"v": "a.safetensors", "w": "b.safetensors"}})");
  PublishedWeights weights(directory.path);
  CHECK(weights.names() == std::vector<std::string>{"v", "w"});
  CHECK(weights.take("w").values() == std::vector<float>{2, 3});
  expect_user_error([&] { weights.take("w", {3}); },
                    {"b.safetensors: w is (2), but the model needs (3)"});
  expect_user_error([&] { weights.take("u"); }, {"model.safetensors.index.json: u is missing"});
  const auto refusal = [&](const std::string& map, const char* message) {
    write_file_atomically(index, map);
    expect_user_error([&] { PublishedWeights(directory.path).take("w"); }, {message});
  };
  refusal(R"({"weight_map": {"w": "a.safetensors"}})", "weight_map.w: missing from a.safetensors");
  refusal(R"({"weight_map": {"w": "../b.safetensors"}})",
          "weight_map.w: expected the name of a file beside it, not ../b.safetensors");
  refusal(R"({"weight_map": {"w": "c.safetensors"}})",
          "weight_map.w: there is no file c.safetensors beside it");
  refusal(R"({"weight_map": {"w": 3}})", "weight_map.w: expected a string in quotes, not 3");
  refusal("{}", "model.safetensors.index.json: weight_map: the key is missing");
  const std::string shard = directory / "b.safetensors", whole = read_file(shard);
  write_file_atomically(shard, whole.substr(0, whole.size() - 1));
  refusal(R"({"weight_map": {"w": "b.safetensors"}})",
          "b.safetensors: truncated: the file ends before the end of w");
}

TEST_CASE("published_weights: a tensor that nobody takes or leaves is named") {
  const TemporaryDirectory directory;
  const Tensor one = Tensor::from({1}, {1});
  save_safetensors(directory / "model.safetensors", {{"u", one}, {"v", one}, {"w", one}});
  PublishedWeights weights(directory.path);
  weights.take("u");
  weights.leave({"w", "nothing"});
  expect_user_error([&] { weights.check_all_taken(); },
                    {"model.safetensors: this kind of model has no v"});
  weights.take("v");
  weights.check_all_taken();
}

TEST_CASE("published_weights: what cannot be read is named") {
  const TemporaryDirectory directory;
  const std::string path = directory / "model.safetensors";
  const auto refusal = [&](const std::string& bytes, const char* message) {
    write_file_atomically(path, bytes);
    expect_user_error([&] { PublishedWeights(directory.path).take("w"); }, {message});
  };
  expect_user_error([&] { PublishedWeights(directory.path).names(); },
                    {"model.safetensors: No such file"});
  refusal("", "too short to be a safetensors file");
  refusal(one_tensor("F16", "[2]", ones_f16).substr(0, 60), "truncated");
  refusal(one_tensor("BF16", "[3]", ones_bf16), "needs 6 bytes");
  refusal(one_tensor("BOOL", "[4]", ones_bf16), "w has dtype BOOL; F32, F16, BF16 and F64");
  refusal(one_tensor("C64", "[4]", ones_bf16), "w has the unknown dtype C64");
  refusal(one_tensor("BF16", "[1]", std::string("\x80\x7f", 2)), "w holds NaN or infinity");
}

TEST_CASE("json_object: names the file and the key, inner ones with their objects") {
  const JsonObject config = JsonObject::parse(
      R"({"a": 3, "b": {"c": "x", "d": null}, "e": [1, 2], "f": 1.5, "g": true})", "config.json");
  CHECK(config.integer("a", 0) == 3);
  CHECK(config.integer("missing", 0, 8) == 8);
  CHECK(config.object("b").text("c") == "x");
  CHECK(config.object("b").text("d", "default") == "default");
  CHECK(config.integers("a") == std::vector<int>{3});
  CHECK(config.integers("e") == std::vector<int>{1, 2});
  CHECK(config.number("f") == 1.5);
  CHECK(config.flag("g", false));
  expect_user_error([&] { config.integer("a", 4); },
                    {"config.json: a: expected an integer of at least 4, not 3"});
  expect_user_error([&] { config.object("b").number("c"); },
                    {"config.json: b.c: expected a number, not \"x\""});
  expect_user_error([&] { config.text("h"); }, {"config.json: h: the key is missing"});
  expect_user_error([] { JsonObject::parse("{\"a\": 1, \"a\": 2}", "c"); },
                    {"c: the key \"a\" occurs twice"});
  expect_user_error([] { JsonObject::parse(std::string(1000, '['), "c"); },
                    {"c: nested too deeply"});
  expect_user_error([] { JsonObject::parse("{\n1}", "c"); }, {"c: line 2 is not JSON"});
  expect_user_error([] { JsonObject::parse("[1]", "c"); }, {"c: not a JSON object {...}"});
}

}  // namespace xf::test
