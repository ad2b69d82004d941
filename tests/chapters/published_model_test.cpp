#include "09_since_2017/program/published_model.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "09_since_2017/program/published_config.hpp"
#include "09_since_2017/sampling.hpp"
#include "io/files.hpp"
#include "io/gguf.hpp"
#include "support/errors.hpp"
#include "support/raw_bytes.hpp"
#include "support/temporary.hpp"

// The directories of golden/published: random models that `transformers` has made, and what it
// says of them (golden/published_models.py).
namespace xf::test {

namespace {

using Json = nlohmann::json;

const std::string goldens = XF_TEST_DATA "/published";

Json expected(const std::string& name) {
  return Json::parse(read_file(goldens + "/" + name + "/expected.json"));
}

// The largest difference between the logits and those of the library, at the places it gave.
double apart(const Tensor& logits, const Json& golden) {
  const Values ours = logits.values();
  const int width = logits.size(2);
  double most = 0;
  for (std::size_t i = 0; i < golden["places"].size(); ++i) {
    const auto theirs = golden["logits"][i].get<std::vector<double>>();
    REQUIRE(static_cast<int>(theirs.size()) == width);
    for (int v = 0; v < width; ++v) {
      const double our = ours[golden["places"][i].get<int>() * width + v];
      most = std::max(most, std::abs(our - theirs[static_cast<std::size_t>(v)]));
    }
  }
  return most;
}

// What the library writes after the prompt.
void expect_greedy(const PublishedModel& published, const Json& golden) {
  std::vector<int> written;
  Random random(1);
  const auto take = [&](int id) {
    written.push_back(id);
    return !std::count(published.ends.begin(), published.ends.end(), id);
  };
  generate(published.model, golden["ids"].get<std::vector<int>>(), 24, {.temperature = 0}, random,
           take);
  CHECK(written == golden["greedy"].get<std::vector<int>>());
}

void expect_tokens(const PublishedTokenizer& tokenizer, const Json& line) {
  const auto text = line[0].get<std::string>();
  CAPTURE(text);
  CHECK(tokenizer.encode(text) == line[1].get<std::vector<int>>());
}

}  // namespace

TEST_CASE("published_model: logits, greedy tokens and text are those of the library") {
  const std::vector<std::string> names = directory_entries(goldens);
  REQUIRE(names.size() == 22);
  for (const std::string& name : names) {
    CAPTURE(name);
    const PublishedModel published = load_published_model(goldens + "/" + name);
    const PublishedTokenizer tokenizer = load_published_tokenizer(goldens + "/" + name, published);
    const Json golden = expected(name);
    const auto prompt = golden["ids"].get<std::vector<int>>();
    CHECK(tokenizer.encode(golden["prompt"].get<std::string>()) == prompt);
    const Ids ids({1, static_cast<int>(prompt.size())}, prompt);
    CHECK(apart(published.model.logits(ids), golden) <= 1e-4);
    expect_greedy(published, golden);
  }
}

TEST_CASE("published_model: a step with the cache gives the logits of the whole text") {
  for (const std::string name :
       {"gpt2-scales", "llama-scaled", "llama-head-dim", "qwen2-plain", "qwen3-plain"}) {
    CAPTURE(name);
    const PublishedModel published = load_published_model(goldens + "/" + name);
    const auto all = expected(name)["ids"].get<std::vector<int>>();
    DecoderOnly::Cache cache;
    for (std::size_t end = 5; end <= all.size(); ++end) {  // five at once, then one by one
      const std::size_t begin = end == 5 ? 0 : end - 1;
      const std::span<const int> fresh(all.data() + begin, end - begin), so_far(all.data(), end);
      const Tensor step =
          published.model.next_logits(Ids({1, static_cast<int>(fresh.size())}, fresh), cache);
      const Tensor whole =
          published.model.logits(Ids({1, static_cast<int>(so_far.size())}, so_far));
      const Values a = step.values(), b = whole.values();
      const std::size_t row = b.size() - a.size();
      for (std::size_t v = 0; v < a.size(); ++v)
        CHECK(std::abs(a.data()[v] - b.data()[row + v]) <= 1e-5);
    }
  }
}

TEST_CASE("published_model: hostile lines have the tokens of the library") {
  for (const std::string& name : directory_entries(goldens)) {
    CAPTURE(name);
    const PublishedModel published = load_published_model(goldens + "/" + name);
    const PublishedTokenizer tokenizer = load_published_tokenizer(goldens + "/" + name, published);
    const Json all = expected(name);
    for (const Json& line : all["lines"]) expect_tokens(tokenizer, line);
  }
}

TEST_CASE("published_model: a GGUF file is the directory that it was made of") {
  for (const std::string family : {"llama", "mistral", "qwen2", "qwen3", "gpt2"}) {
    CAPTURE(family);
    const std::string path = XF_TEST_DATA "/gguf/" + family + ".gguf";
    const PublishedModel published = load_published_model(path);
    const PublishedTokenizer tokenizer = load_published_tokenizer(path, published);
    const Json golden = expected(family + "-plain");
    const auto prompt = golden["ids"].get<std::vector<int>>();
    CHECK(tokenizer.encode(golden["prompt"].get<std::string>()) == prompt);
    CHECK(apart(published.model.logits(Ids({1, static_cast<int>(prompt.size())}, prompt)),
                golden) <= 1e-4);
    expect_greedy(published, golden);
    // Of an added token the format does not say which spaces are its own.
    for (const Json& line : golden["lines"])
      if (line[0].get<std::string>().find("strip>") == std::string::npos)
        expect_tokens(tokenizer, line);
  }
}

TEST_CASE("published_model: a GGUF of Qwen3 without its norms, or with others, is one line") {
  const std::string whole = read_file(XF_TEST_DATA "/gguf/qwen3.gguf");
  const auto refuses = [&](const std::string& from, const std::string& to,
                           std::initializer_list<const char*> parts) {
    std::string bytes = whole;
    const std::size_t at = bytes.find(from);
    REQUIRE(at != bytes.npos);
    REQUIRE(from.size() == to.size());
    const TemporaryDirectory directory;
    directory.file("model.gguf", bytes.replace(at, from.size(), to));
    expect_user_error([&] { load_published_model(directory / "model.gguf"); }, parts);
  };
  refuses("blk.1.attn_q_norm.weight", "blk.1.attn_q_nose.weight",
          {"model.gguf", "blk.1.attn_q_norm.weight"});
  refuses("blk.0.attn_k_norm.weight", "blk.0.attn_k_nose.weight",
          {"model.gguf", "blk.0.attn_k_norm.weight"});
  // Without its key the size of a head is width / heads.
  refuses("qwen3.attention.key_length", "qwen3.attention.key_lengtk",
          {"model.gguf", "qwen3.rope.dimension_count"});
  refuses("qwen3.attention.head_count", "qwen3.attention.head_coumt",
          {"model.gguf", "qwen3.attention.head_count"});
}

TEST_CASE("published_model: the tokenizers of GGUF have the tokens of their libraries") {
  for (const std::string name : {"pieces", "smollm"}) {
    CAPTURE(name);
    const std::string path = XF_TEST_DATA "/gguf/" + name;
    const PublishedTokenizer tokenizer = load_published_tokenizer(path + ".gguf");
    const Json golden = Json::parse(read_file(path + ".json"));
    REQUIRE(golden["lines"].size() >= 100);
    for (const Json& line : golden["lines"]) expect_tokens(tokenizer, line);
    for (const Json& text : golden["texts"])
      CHECK(tokenizer.decode(text[0].get<std::vector<int>>()) == text[1].get<std::string>());
  }
}

TEST_CASE("published_model: a GGUF's factor of its rotations is linear where no type is named") {
  for (const std::string key : {"llama.rope.scale_linear", "llama.rope.scaling.factor"}) {
    std::string bytes = read_file(XF_TEST_DATA "/gguf/llama.gguf");
    std::string more = counted(key) + raw(6, 4) + raw(0x40800000, 4);  // the float 4
    more += counted("x") + raw(8, 4) + counted(std::string(43 - more.size(), ' '));
    REQUIRE(more.size() == 64);  // keeps the alignment
    bytes.insert(24, more);
    bytes[16] = static_cast<char>(bytes[16] + 2);  // how many keys
    const PublishedConfig config = read_gguf_config(GgufFile::parse(bytes, "llama.gguf"));
    CHECK(config.decoder.scaling.kind == RotaryScaling::Kind::linear);
    CHECK(config.decoder.scaling.factor == 4);
  }
}

TEST_CASE("published_model: rope_freqs.weight slows the turns of each pair") {
  std::string bytes = read_file(XF_TEST_DATA "/gguf/llama.gguf");
  // The header counts a tensor more, which lies behind the others.
  const StoredTensors tensors = GgufFile::parse(bytes, "llama.gguf").tensors();
  const StoredTensor& last = *std::max_element(
      tensors.entries.begin(), tensors.entries.end(),
      [](const StoredTensor& a, const StoredTensor& b) { return a.first < b.first; });
  const std::string data(tensors.data);
  std::string header = bytes.substr(0, bytes.size() - data.size());
  const std::size_t end = header.find(last.name) + last.name.size() + 4 +
                          8 * static_cast<std::size_t>(last.shape.rank()) + 12;
  const std::string name = "rope_freqs.weight";
  header = header.substr(0, end) + counted(name) + raw(1, 4) + raw(2, 8) + raw(0, 4) +
           raw((data.size() + 31) / 32 * 32, 8) + header.substr(end);
  header.resize((end + 8 + name.size() + 24 + 31) / 32 * 32, '\0');
  header[8] = static_cast<char>(header[8] + 1);
  const TemporaryDirectory directory;
  std::string whole = header + data;
  whole.resize(header.size() + (data.size() + 31) / 32 * 32, '\0');
  directory.file("model.gguf", whole + std::string("\0\0\0\x40\0\0\x80\x40", 8));  // 2, 4
  const auto plain = load_published_model(XF_TEST_DATA "/gguf/llama.gguf").model.rotary.frequencies;
  const auto slowed = load_published_model(directory.path).model.rotary.frequencies;
  REQUIRE(slowed.size() == 2);
  CHECK(slowed[0] == plain[0] / 2);
  CHECK(slowed[1] == plain[1] / 4);
}

namespace {

// A copy of a golden directory, to be damaged.
struct Copy {
  TemporaryDirectory directory;

  explicit Copy(const std::string& name) {
    for (const std::string& file : directory_entries(goldens + "/" + name))
      directory.file(file, read_file(goldens + "/" + name + "/" + file));
  }
  void change(const std::string& file, const std::string& from, const std::string& to) const {
    const std::string text = read_file(directory / file);
    const std::size_t at = text.find(from);
    REQUIRE_MESSAGE(at != text.npos, from);
    directory.file(file, text.substr(0, at) + to + text.substr(at + from.size()));
  }
  void refuses(std::initializer_list<const char*> parts) const {
    expect_user_error(
        [&] {
          const PublishedModel model = load_published_model(directory.path);
          load_published_tokenizer(directory.path, model);
        },
        parts);
  }
};

void refuses(const std::string& name, const std::string& file, const std::string& from,
             const std::string& to, std::initializer_list<const char*> parts) {
  const Copy copy(name);
  copy.change(file, from, to);
  copy.refuses(parts);
}

}  // namespace

TEST_CASE("published_model: what does not fit is named by file and key") {
  const std::string config = "config.json";
  const auto llama = [&](const char* from, const char* to, std::initializer_list<const char*> p) {
    refuses("llama-plain", config, from, to, p);
  };
  llama("\"model_type\": \"llama\"", "\"model_type\": \"bert\"",
        {"config.json: model_type: expected gpt2, llama, qwen2, qwen3 or mistral, not bert"});
  llama("\"hidden_size\": 16", "\"hidden_size\": 32", {"model.safetensors: ", "the model needs"});
  llama("\"hidden_size\": 16", "\"hidden_size\": \"16\"",
        {"hidden_size: expected an integer of at least 1"});
  llama("\"num_key_value_heads\": 2", "\"num_key_value_heads\": 3",
        {"num_key_value_heads: 3 does not divide num_attention_heads 4"});
  llama("\"num_hidden_layers\": 2", "\"num_hidden_layers\": 3",
        {"model.safetensors: model.layers.2", "is missing"});
  llama("\"num_hidden_layers\": 2", "\"num_hidden_layers\": 1",
        {"model.safetensors: this kind of model has no model.layers.1"});
  llama("\"rope_type\": \"default\"", "\"rope_type\": \"yarn\"",
        {"rope_parameters.rope_type: expected default, linear or llama3, not yarn"});
  llama("\"hidden_act\": \"silu\"", "\"hidden_act\": \"quick\"", {"hidden_act: ", "not quick"});
  llama("\"vocab_size\": 310", "\"nothing\": 0", {"config.json: vocab_size: the key is missing"});
  llama("\"head_dim\": 4", "\"head_dim\": 3", {"head_dim: expected an even number, not 3"});
  refuses("gpt2-plain", config, "\"n_head\": 2", "\"n_head\": 3",
          {"n_head: 3 does not divide n_embd 16"});
  refuses("gpt2-plain", config, "\"add_cross_attention\": false", "\"add_cross_attention\": true",
          {"config.json: add_cross_attention: "});
  const std::string whole = "tokenizer.json";
  refuses("llama-plain", whole, "\"type\":\"BPE\"", "\"type\":\"Unigram\"",
          {"tokenizer.json: model.type: expected BPE or WordPiece, not Unigram"});
  refuses("qwen2-plain", whole, "\"type\":\"NFC\"", "\"type\":\"NFKC\"",
          {"tokenizer.json: normalizer.type: expected NFC, Prepend, Replace, BertNormalizer or "
           "Sequence, not NFKC"});
  refuses("qwen2-plain", whole, "(?i:", "(?i", {"pattern.Regex: (?i's|", ": undefined group"});
  refuses("gpt2-plain", whole, "\"merges\":[[", "\"merges\":[[\"t\"],[", {"model.merges: entry"});
  refuses("gpt2-inner", "merges.txt", "\n", "\nabc\n", {"merges.txt: line 2 is not a pair"});
  refuses("gpt2-inner", "vocab.json", ":1,", ":-1,",
          {"vocab.json: ", "expected an integer of at least 0"});
}

TEST_CASE("published_model: a truncated or missing file is named") {
  for (const char* file : {"config.json", "model.safetensors", "tokenizer.json"}) {
    const Copy cut("qwen2-plain"), gone("qwen2-plain");
    const std::string bytes = read_file(cut.directory / file);
    cut.directory.file(file, bytes.substr(0, bytes.size() / 2));
    cut.refuses({file});
    remove_all(gone.directory / file);
    gone.refuses({file, "No such file"});
  }
  const Copy shards("gpt2-shards");
  remove_all(shards.directory / "model-00002-of-00004.safetensors");
  shards.refuses({"there is no file model-00002-of-00004.safetensors"});
}

TEST_CASE("published_model: a tied table that is stored as the output alone is taken") {
  for (const std::string name : {"gpt2-plain", "qwen2-plain"}) {
    const Copy copy(name);
    copy.change("model.safetensors",
                name == "gpt2-plain" ? "transformer.wte.weight\"" : "model.embed_tokens.weight\"",
                name == "gpt2-plain" ? "lm_head.weight\"        " : "lm_head.weight\"           ");
    expect_greedy(load_published_model(copy.directory.path), expected(name));
  }
}

TEST_CASE("published_model: two files are cut as the family does, and Llama's are refused") {
  const auto ids = [](const std::string& directory) {
    return load_published_tokenizer(directory).encode("hello\tthe");
  };
  const Copy copy("qwen2-untied");
  const std::vector<int> own = ids(copy.directory.path);
  copy.change("config.json", "\"qwen2\"", "\"gpt2\"");
  CHECK(ids(copy.directory.path) != own);
  copy.change("config.json", "\"gpt2\"", "\"llama\"");
  expect_user_error([&] { ids(copy.directory.path); }, {"/tokenizer.json: No such file"});
}

TEST_CASE("published_model: positions under both names must agree, and windows may be none") {
  const std::string config = "config.json";
  const Copy both("llama-scaled");
  const auto say = [&](const std::string& older) {
    both.directory.file(config, read_file(goldens + "/llama-scaled/config.json"));
    both.change(config, "\"rope_parameters\"",
                "\"rope_scaling\": " + older + ", \"rope_parameters\"");
  };
  say(R"({"type": "llama3", "factor": 8.0, "low_freq_factor": 1})");
  CHECK(load_published_model(both.directory.path).model.config.scaling.factor == 8);
  say(R"({"rope_type": "llama3", "factor": 4.0})");
  both.refuses({"config.json: rope_scaling.factor: 4.0, but rope_parameters has 8.0"});
  say(R"({"rope_type": "linear"})");
  both.refuses({"rope_scaling.rope_type: \"linear\", but rope_parameters has \"llama3\""});

  const Copy window("qwen2-window");
  const auto max_positions = [&] {
    return load_published_model(window.directory.path).max_positions;
  };
  CHECK(max_positions() == 90);
  window.change(config, "\"sliding_attention\"", "\"full_attention\"");
  CHECK(max_positions() == 32768);
  window.change(config, "\"layer_types\"", "\"other\"");
  CHECK(max_positions() == 90);
  window.change(config, "\"max_window_layers\": 1", "\"max_window_layers\": 2");
  CHECK(max_positions() == 32768);
  window.change(config, "\"max_position_embeddings\"", "\"nothing\"");
  CHECK(max_positions() == 0);
}

TEST_CASE("published_model: a Mistral is a Llama whose layers all attend within the window") {
  const Copy mistral("llama-plain");
  mistral.change("config.json", "\"model_type\": \"llama\"",
                 "\"model_type\": \"mistral\", \"sliding_window\": 50");
  const PublishedModel published = load_published_model(mistral.directory.path);
  CHECK(published.max_positions == 50);
  expect_greedy(published, expected("llama-plain"));
  mistral.change("config.json", "\"sliding_window\": 50", "\"sliding_window\": null");
  CHECK(load_published_model(mistral.directory.path).max_positions == 2048);
}

}  // namespace xf::test
