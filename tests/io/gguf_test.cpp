#include "io/gguf.hpp"

#include <doctest/doctest.h>

#include "io/files.hpp"
#include "io/published_weights.hpp"
#include "io/safetensors.hpp"
#include "support/errors.hpp"
#include "support/raw_bytes.hpp"
#include "support/repeated.hpp"
#include "support/temporary.hpp"

// The files of golden/gguf (golden/gguf_models.py).
namespace xf::test {

namespace {

const std::string goldens = XF_TEST_DATA "/gguf/";

// A file with these keys and one tensor, "w", of 64 numbers of a kind, at `place`.
struct Made {
  std::uint32_t version = 3;
  std::uint64_t tensors = 1, keys = 0, place = 0;
  std::uint32_t kind = 8;
  std::string settings = {}, sizes = raw(1, 4) + raw(64, 8);
  std::size_t data = 68;

  std::string bytes() const {
    std::string all = "GGUF" + raw(version, 4) + raw(tensors, 8) + raw(keys, 8) + settings;
    all += counted("w") + sizes + raw(kind, 4) + raw(place, 8);
    all.resize((all.size() + 31) / 32 * 32, '\0');
    return all + std::string(data, '\x11');
  }
};

std::string refusal(const Made& made) {
  return user_error([&] { GgufFile::parse(made.bytes(), "m.gguf"); });
}

}  // namespace

TEST_CASE("gguf: every kind of number is what llama.cpp's package makes of it, to the last bit") {
  PublishedWeights weights(goldens + "kinds.gguf");
  const SafeTensors expected = load_safetensors(goldens + "kinds.safetensors");
  CHECK(expected.tensors.size() == 11);
  for (const auto& [name, tensor] : expected.tensors) {
    CAPTURE(name);
    CHECK(weights.take(name, tensor.shape()).values() == tensor.values());
  }
  weights.check_all_taken();
}

TEST_CASE("gguf: a block of 4 bits by hand") {
  // d = 0.5, m = -1, and 16 bytes whose lower halves are 2 and whose upper ones are 3: x = d q + m.
  const Made made{.kind = 3, .data = 40};
  std::string bytes = made.bytes();
  for (std::size_t block = bytes.size() - 40; block < bytes.size(); block += 20)
    bytes.replace(block, 20, std::string("\x00\x38\x00\xbc", 4) + std::string(16, '\x32'));
  const GgufFile file = GgufFile::parse(bytes, "m.gguf");
  const Values x = file.tensors().tensor(*file.find("w")).values();
  for (int i = 0; i < 64; ++i) CHECK(x[i] == (i % 32 < 16 ? 0.0f : 0.5f));
}

TEST_CASE("gguf: keys, lists and where the file of a model is") {
  const GgufFile file = GgufFile::open(goldens + "llama.gguf");
  CHECK(file.settings().text("general.architecture") == "llama");
  CHECK(file.settings().integer("llama.block_count", 1) == 2);
  CHECK(file.texts("tokenizer.ggml.tokens").size() == 310);
  CHECK(file.integers("tokenizer.ggml.token_type")[0] == 3);
  CHECK(file.numbers("tokenizer.ggml.scores").empty());
  CHECK_THROWS_WITH_AS(file.integers("tokenizer.ggml.tokens"),
                       doctest::Contains("tokenizer.ggml.tokens: expected a list of another kind"),
                       UserError);
  CHECK(file.find("blk.0.attn_q.weight")->shape == Shape{16, 16});
  const TemporaryDirectory directory;
  CHECK(GgufFile::of_model(directory.path).empty());
  directory.file("a.gguf", "");
  CHECK(GgufFile::of_model(directory.path) == directory / "a.gguf");
  CHECK(GgufFile::of_model(directory / "a.gguf") == directory / "a.gguf");
  directory.file("b.gguf", "");
  CHECK_THROWS_WITH_AS(GgufFile::of_model(directory.path), doctest::Contains("a.gguf and b.gguf"),
                       UserError);
}

TEST_CASE("gguf: a header that lies is one line") {
  CHECK_NOTHROW(GgufFile::parse(Made().bytes(), "m.gguf"));
  const std::vector<std::pair<Made, std::string>> all = {
      {{.version = 1}, "GGUF version 1"},
      {{.tensors = 1u << 30}, "its header would have 1073741824 tensors"},
      {{.tensors = 2}, "truncated inside the header"},
      {{.keys = 1}, "truncated inside the header"},
      {{.kind = 10}, "w has kind Q2_K; F32, F16"},
      {{.kind = 77}, "w has kind 77; F32, F16"},
      {{.kind = 12}, "w has rows of 64 numbers, which is not a multiple of 256"},
      {{.sizes = raw(6, 4)}, "w has 6 axes"},
      {{.sizes = raw(1, 4) + raw(0, 8)}, "w has an axis of size 0"},
      {{.sizes = raw(2, 4) + raw(1 << 30, 8) + raw(1 << 30, 8)},
       "w has an axis of size 1073741824"},
      {{.sizes = raw(3, 4) + raw(1 << 20, 8) + raw(1 << 20, 8) + raw(1 << 24, 8)},  // 2^64
       "w has an axis of size 16777216"},
      {{.data = 67}, "truncated: the file ends before the end of w"},
      {{.place = ~std::uint64_t{0}}, "truncated: the file ends"},
      {{.place = 8, .data = 80}, "w is not aligned"},
      {{.keys = 1, .settings = counted("general.alignment") + raw(4, 4) + raw(33, 4)},
       "general.alignment: expected a power of 2"},
      {{.keys = 1, .settings = counted("k") + raw(13, 4)}, "k: its value has the unknown type 13"},
      {{.keys = 1, .settings = counted("k") + raw(8, 4) + counted("\xFF")},
       "k: the text is not UTF-8"},
      {{.keys = 1, .settings = counted("k") + raw(9, 4) + raw(9, 4) + raw(1, 8)},
       "k: a list of values of type 9 cannot be read"},
      {{.keys = 1, .settings = counted("k") + raw(9, 4) + raw(4, 4) + raw(~0ull, 8)},
       "truncated inside the header"},
      {{.keys = 2, .settings = repeated(counted("k") + raw(7, 4) + raw(1, 1), 2)},
       "k occurs twice"}};
  for (const auto& [made, said] : all) {
    CAPTURE(said);
    CHECK(refusal(made).starts_with("m.gguf: "));
    CHECK(refusal(made).find(said) != std::string::npos);
  }
  const std::string whole = read_file(goldens + "smollm.gguf");
  for (std::size_t size = 0; size + 32 < whole.size(); size += 7)
    CHECK_THROWS_AS(GgufFile::parse(whole.substr(0, size), "m.gguf"), UserError);
}

}  // namespace xf::test
