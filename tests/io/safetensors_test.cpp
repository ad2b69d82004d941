#include "io/safetensors.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cmath>
#include <limits>

#include "io/files.hpp"
#include "nn/linear.hpp"
#include "support/errors.hpp"
#include "support/peak_memory.hpp"
#include "support/raw_bytes.hpp"
#include "support/sanitized.hpp"
#include "support/temporary.hpp"

namespace xf::test {

namespace {

std::vector<float> values(const SafeTensors& file, const std::string& name) {
  return file.tensors.at(name).values();
}

// The bytes of a file with this header and so many bytes of data.
std::string file_with(const std::string& header, std::size_t data) {
  return counted(header) + std::string(data, '\0');
}

std::string entry(const std::string& name, const std::string& dtype, const std::string& shape,
                  const std::string& offsets) {
  return "\"" + name + "\":{\"dtype\":\"" + dtype + "\",\"shape\":" + shape +
         ",\"data_offsets\":" + offsets + "}";
}

std::string refusal_of_bytes(const std::string& bytes) {
  return user_error([&] { parse_safetensors(bytes, "m.safetensors"); });
}

std::string refusal_of_bytes(const std::string& header, std::size_t data) {
  return refusal_of_bytes(file_with(header, data));
}

// A header of so many tensors, of one number each.
std::string header_of(int tensors) {
  std::string header = "{";
  for (int i = 0; i < tensors; ++i) {
    const std::string name = "layers." + std::to_string(i);
    const std::string offsets = "[" + std::to_string(4 * i) + "," + std::to_string(4 * i + 4) + "]";
    header += (i ? "," : "") + entry(name, "F32", "[1]", offsets);
  }
  return header + "}";
}

// What a call takes of time, but for a sanitizer, and of memory.
struct Cost {
  double seconds, mebibytes;
};
template <class Body>
Cost cost_of(const Body& body) {
  reset_peak_memory();
  const double before = peak_mebibytes();
  const auto start = std::chrono::steady_clock::now();
  body();
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  return {taken.count() / slowdown, peak_mebibytes() - before};
}

struct Tied {
  Linear first, second;
  explicit Tied(Random& random) : first(3, 4, random), second(3, 4, random, false) {
    second.weight = first.weight;
  }
  template <class Visitor>
  void visit(Visitor&& v) {
    v("first", first);
    v("second", second);
  }
};

}  // namespace

TEST_CASE("safetensors: what is saved is loaded, bit for bit") {
  const TemporaryDirectory directory;
  const std::string path = directory / "m.safetensors";
  const float inf = std::numeric_limits<float>::infinity();
  save_safetensors(path,
                   {{"b", Tensor::from({2, 3}, {1, -0.0f, inf, 1e-45f, 3.4e38f, 0.1f})},
                    {"a.weight", Tensor::from({}, {7})},
                    {"none", Tensor::zeros({0, 4})},
                    {"deep", Tensor::full({1, 2, 1, 2, 1}, 5)}},
                   {{"语言", "a \"quoted\" text\n"}});
  const SafeTensors file = load_safetensors(path);
  CHECK(file.tensors.size() == 4);
  CHECK(file.tensors.at("b").shape() == Shape{2, 3});
  CHECK(values(file, "b") == std::vector<float>{1, -0.0f, inf, 1e-45f, 3.4e38f, 0.1f});
  CHECK(std::signbit(values(file, "b")[1]));
  CHECK(file.tensors.at("a.weight").shape() == Shape{});
  CHECK(file.tensors.at("a.weight").item() == 7);
  CHECK(file.tensors.at("none").shape() == Shape{0, 4});
  CHECK(file.tensors.at("deep").shape() == Shape{1, 2, 1, 2, 1});
  CHECK(file.metadata == Metadata{{"语言", "a \"quoted\" text\n"}});
}

TEST_CASE("safetensors: the data of a saved file is aligned to 8 bytes") {
  const TemporaryDirectory directory;
  for (const std::string name : {"a", "ab", "abc", "abcdefgh"}) {
    save_safetensors(directory / "m", {{name, Tensor::from({1}, {1})}});
    const std::string bytes = read_file(directory / "m");
    CHECK((bytes.size() - 4) % 8 == 0);
    CHECK(static_cast<unsigned char>(bytes[0]) == bytes.size() - 4 - 8);
  }
}

TEST_CASE("safetensors: a file made by the Python library is read, all its float types") {
  const SafeTensors file = load_safetensors(XF_TEST_DATA "/safetensors_python.safetensors");
  const std::vector<float> expected = {
      1.0f, -2.5f, 0.0f, 65504.0f, std::ldexp(1.0f, -24), std::numeric_limits<float>::infinity()};
  for (const std::string name : {"f32", "f16", "f64"}) {
    CHECK_MESSAGE(values(file, name) == expected, name);
    CHECK(file.tensors.at(name).shape() == Shape{2, 3});
  }
  CHECK(values(file, "bf16") == std::vector<float>{1.0f, -2.5f, 3.140625f});
  CHECK(file.tensors.at("scalar").item() == 7.0f);
  CHECK(file.tensors.at("empty").shape() == Shape{0, 4});
  CHECK(file.metadata == Metadata{{"format", "pt"}, {"language", "中文"}});
}

TEST_CASE("safetensors: every truncation of a file is refused in one line") {
  const std::string whole = read_file(XF_TEST_DATA "/safetensors_python.safetensors");
  CHECK(refusal_of_bytes(whole) == "");
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const std::string message = refusal_of_bytes(whole.substr(0, length));
    CHECK_MESSAGE(message.starts_with("m.safetensors: "), length << ": " << message);
    CHECK(message.find('\n') == std::string::npos);
  }
  CHECK(refusal_of_bytes(whole + "x") == "m.safetensors: 1 bytes follow the last tensor");
}

TEST_CASE("safetensors: a file with one byte changed is read or refused, never worse") {
  const std::string whole = read_file(XF_TEST_DATA "/safetensors_python.safetensors");
  int refused = 0;
  for (std::size_t at = 0; at < whole.size(); ++at)
    for (char byte : {'\0', '\1', '"', '{', '9', 'z', '\xff'}) {
      std::string changed = whole;
      changed[at] = byte;
      refused += refusal_of_bytes(changed).starts_with("m.safetensors: ");
    }
  CHECK(refused > 1000);
}

TEST_CASE("safetensors: a bad header is refused") {
  CHECK(refusal_of_bytes("short") == "m.safetensors: too short to be a safetensors file");
  CHECK(refusal_of_bytes("<!DOCTYPE html>").find("not a safetensors file") != std::string::npos);
  CHECK(refusal_of_bytes("[]", 0) == "m.safetensors: the header is not a JSON object");
  CHECK(refusal_of_bytes("{\"a\":", 0) == "m.safetensors: the header is not JSON");
  CHECK(refusal_of_bytes("", 0) == "m.safetensors: the header is not JSON");
  CHECK(refusal_of_bytes("{\"a\":1}", 0) == "m.safetensors: a is not described by a JSON object");
  CHECK(refusal_of_bytes("{\"__metadata__\":{\"k\":1}}", 0) ==
        "m.safetensors: __metadata__ \"k\" is not a string");
  CHECK(refusal_of_bytes("{\"__metadata__\":3}", 0) ==
        "m.safetensors: __metadata__ is not a JSON object");
  CHECK(refusal_of_bytes("{}", 0) == "");
}

TEST_CASE("safetensors: spaces are all that may follow after the header's JSON") {
  const std::string one = "{" + entry("w", "F32", "[1]", "[0,4]") + "}";
  CHECK(refusal_of_bytes(one + "       ", 4) == "");
  for (const std::string& rest : {std::string(1, '\0'), std::string("  \0  ", 5), std::string("\n"),
                                  std::string(" \t"), std::string("\0}", 2), std::string("x")})
    CHECK(refusal_of_bytes(one + rest, 4).starts_with("m.safetensors: the header is not JSON"));
}

TEST_CASE("safetensors: the time for a header grows with its length, not with the square") {
  const std::string file = file_with(header_of(100'000), 4 * 100'000);
  const Cost cost = cost_of([&] { CHECK(parse_safetensors(file, "m").tensors.size() == 100'000); });
  CHECK(cost.seconds < 10);
  const TemporaryDirectory directory;
  const SafeTensors parsed = parse_safetensors(file, "m");
  const NamedTensors tensors(parsed.tensors.begin(), parsed.tensors.end());
  CHECK(cost_of([&] { save_safetensors(directory / "m", tensors); }).seconds < 10);
  CHECK(load_safetensors(directory / "m").tensors.size() == 100'000);
}

TEST_CASE("safetensors: a hostile header is refused at once, and takes no memory") {
  const std::size_t many = 30'000'000;
  const std::string brackets(many, '[');
  std::string numbers = "{\"w\":{\"shape\":[1";
  for (std::size_t i = 0; i < many / 3; ++i) numbers += ",1";
  std::string keys = "{\"__metadata__\":{\"0\":\"\"";
  for (std::size_t i = 1; keys.size() < many; ++i) keys += ",\"" + std::to_string(i) + "\":\"\"";
  const std::pair<std::string, std::string> hostile[] = {
      {brackets, "the header is not a JSON object"},
      {"{\"w\":{\"shape\":" + brackets, "w is nested too deeply"},
      {"{\"w\":{\"dtype\":\"F32\",\"note\":" + brackets, "w is nested too deeply"},
      {"{\"w\":" + brackets, "w is not described by a JSON object"},
      {numbers + "]}}", "w has too many values"},
      {keys + "}}", "__metadata__ has too many values"}};
  for (const auto& pair : hostile) {
    const std::string file = file_with(pair.first, 0), &problem = pair.second;
    const Cost cost =
        cost_of([&] { CHECK(refusal_of_bytes(file) == "m.safetensors: " + problem); });
    CHECK_MESSAGE(cost.seconds < 2, problem);
    CHECK_MESSAGE(cost.mebibytes < 64, problem);
  }
}

TEST_CASE("safetensors: a bad entry is refused and named") {
  const auto one = [](const std::string& dtype, const std::string& shape,
                      const std::string& offsets, std::size_t data) {
    return refusal_of_bytes("{" + entry("w", dtype, shape, offsets) + "}", data);
  };
  CHECK(one("F32", "[2]", "[0,8]", 8) == "");
  CHECK(one("I64", "[1]", "[0,8]", 8) ==
        "m.safetensors: w has dtype I64; F32, F16, BF16 and F64 can be read");
  CHECK(one("F32", "[1,1,1,1,1,2]", "[0,8]", 8) ==
        "m.safetensors: w has 6 axes; at most 5 can be read");
  CHECK(one("F32", "[3]", "[0,8]", 8) ==
        "m.safetensors: w (3) F32 needs 12 bytes, but its data_offsets are [0,8]");
  CHECK(one("F32", "[2]", "[8,0]", 8) ==
        "m.safetensors: w (2) F32 needs 8 bytes, but its data_offsets are [8,0]");
  CHECK(one("F32", "[2]", "[0,8]", 7) ==
        "m.safetensors: truncated: the file ends before the end of w");
  CHECK(one("F32", "[2]", "[4,12]", 12) == "m.safetensors: there is a gap before w");
  CHECK(one("F32", "[2]", "[18446744073709551608,18446744073709551616]", 8)
            .starts_with("m.safetensors: w has no data_offsets"));
  CHECK(one("F32", "[2]", "[18446744073709551600,18446744073709551608]", 8)
            .starts_with("m.safetensors: truncated"));
  for (const std::string shape :
       {"[-2]", "[2.0]", "[\"2\"]", "[4294967296]", "[2147483647,2147483647]",
        "[2147483647,2147483647,0,2147483647,2147483647]", "[1048576,1048576,16777216]"})  // 2^64
    CHECK_MESSAGE(one("F32", shape, "[0,8]", 8).starts_with("m.safetensors: w has a bad shape"),
                  shape);
  CHECK(refusal_of_bytes("{\"w\":{\"dtype\":\"F32\",\"shape\":[2]}}", 8) ==
        "m.safetensors: w has no data_offsets [first, last]");
  CHECK(refusal_of_bytes("{\"w\":{\"dtype\":\"F32\",\"data_offsets\":[0,8]}}", 8) ==
        "m.safetensors: w has no shape");
  CHECK(refusal_of_bytes("{\"w\":{\"shape\":[2],\"data_offsets\":[0,8]}}", 8) ==
        "m.safetensors: w has no dtype");
}

TEST_CASE("safetensors: repeated names and overlapping data are refused") {
  const std::string w = entry("w", "F32", "[2]", "[0,8]");
  CHECK(refusal_of_bytes("{" + w + "," + w + "}", 8) == "m.safetensors: w occurs twice");
  CHECK(refusal_of_bytes("{\"w\":{\"shape\":[2],\"shape\":[2]}}", 8) ==
        "m.safetensors: shape occurs twice");
  CHECK(refusal_of_bytes("{" + w + "," + entry("v", "F32", "[2]", "[4,12]") + "}", 12) ==
        "m.safetensors: v overlaps the tensor before it");
  CHECK(refusal_of_bytes("{" + w + "," + entry("v", "F32", "[2]", "[8,16]") + "}", 16) == "");
}

TEST_CASE("safetensors: saving refuses repeated names and undefined tensors") {
  const Tensor one = Tensor::from({1}, {1});
  CHECK_THROWS_AS(save_safetensors("unused", {{"a", one}, {"a", one}}), std::invalid_argument);
  CHECK_THROWS_AS(save_safetensors("unused", {{"a", Tensor()}}), std::invalid_argument);
}

TEST_CASE("load_parameters: a model with tied weights comes back, still tied") {
  const TemporaryDirectory directory;
  Random random(1), other(2);
  Tied saved(random), loaded(other);
  save_parameters(directory / "m", parameters(saved), {{"step", "7"}});
  CHECK(load_safetensors(directory / "m").tensors.size() == 2);
  CHECK(load_parameters(directory / "m", parameters(loaded)).at("step") == "7");
  CHECK(loaded.first.weight.values() == saved.first.weight.values());
  CHECK(loaded.second.weight.values() == saved.first.weight.values());
  CHECK(loaded.first.weight.leaf);
}

TEST_CASE("load_parameters: says what does not fit, and then changes nothing") {
  const TemporaryDirectory directory;
  const std::string path = directory / "model.safetensors";
  const Tensor numbers = Tensor::full({4, 3}, 9), row = Tensor::full({2}, 9);
  Tensor a = Tensor::zeros({3, 4}), b = Tensor::zeros({2}), c = Tensor::zeros({2});
  const std::vector<NamedParameter> wanted = {{"b", &b}, {"a", &a}, {"c", &c}};
  const auto message = [&](const NamedTensors& tensors) {
    save_safetensors(path, tensors);
    return user_error([&] { load_parameters(path, wanted); });
  };
  CHECK(message({{"a", numbers}, {"b", row}, {"c", row}}) ==
        path + ": a is (4, 3), but the model needs (3, 4)");
  CHECK(message({{"a", numbers.view({3, 4})}, {"b", row}}) == path + ": the model also needs c");
  CHECK(message({{"a", numbers}, {"w", row}, {"x", row}, {"y", row}, {"z", row}}) ==
        path +
            ": the model also needs b, c; the model has no w, x, y and 1 more; a is (4, 3), "
            "but the model needs (3, 4)");
  for (const float value : {NAN, INFINITY, -INFINITY}) {
    const Tensor broken = Tensor::from({2}, {9, value});
    CHECK(message({{"a", numbers.view({3, 4})}, {"b", row}, {"c", broken}}) ==
          path + ": c holds NaN or infinity");
  }
  CHECK(b.values() == std::vector<float>{0, 0});
  CHECK(message({{"a", numbers.view({3, 4})}, {"b", row}, {"c", row}}) == "");
  CHECK(b.values() == std::vector<float>{9, 9});
}

TEST_CASE("load_parameters: a missing file is named") {
  CHECK_THROWS_WITH_AS(load_parameters("no/such/file", {}), doctest::Contains("no/such/file: "),
                       UserError);
}

}  // namespace xf::test
