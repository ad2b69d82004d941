#include "07_transformer/program/marian.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "07_transformer/program/evaluation.hpp"
#include "io/files.hpp"
#include "support/errors.hpp"
#include "support/golden.hpp"
#include "support/temporary.hpp"
#include "text/added_tokens.hpp"
#include "text/marian_pieces.hpp"

namespace xf::test {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

const std::string golden_directory = XF_TEST_DATA "/marian/";

// The model of this name with its tokenizers beside it, as marian_reference.py puts them together.
void assemble(const std::string& name, const std::string& directory) {
  fs::copy(golden_directory + name, directory, fs::copy_options::recursive);
  const auto add = [&](const std::string& from, const std::string& to) {
    fs::copy_file(golden_directory + from, directory + "/" + to,
                  fs::copy_options::overwrite_existing);
  };
  add("source.spm", "source.spm");
  add("target.spm", "target.spm");
  const bool separate = name == "separate";
  add(separate ? "source_vocab.json" : "vocab.json", "vocab.json");
  if (separate) add("target_vocab.json", "target_vocab.json");
}

// Our tokens of published ones, which begin with <pad> and may end with </s>.
std::vector<int> own_tokens(const Json& published, const MarianVocabulary& vocabulary) {
  std::vector<int> tokens;
  for (const Json& id : published) tokens.push_back(vocabulary.own(id.get<int>()));
  REQUIRE(tokens.front() == bos_id);
  tokens.erase(tokens.begin());
  if (!tokens.empty() && tokens.back() == eos_id) tokens.pop_back();
  return tokens;
}

// The logits in the published order, where our <pad> has none.
void compare_logits(const Translator& translator, const Json& answer, const Tensor& golden,
                    const std::string& name) {
  const MarianVocabulary& target = *translator.target_tokenizer.published();
  std::vector<std::int32_t> in;
  for (const Json& id : answer["beam"]) in.push_back(target.own(id.get<int>()));
  in.pop_back();
  const std::vector<int> from = translator.encode_source(answer["source"]);
  const Ids source({1, static_cast<int>(from.size())}, {from.begin(), from.end()});
  const Tensor logits = translator.model(source, Ids({1, static_cast<int>(in.size())}, in));
  const Values ours = logits.values(), theirs = golden.values();
  const int width = golden.size(1);
  REQUIRE(golden.size(0) == static_cast<int>(in.size()));
  double worst = 0;
  for (int t = 0; t < golden.size(0); ++t)
    for (int i = 0; i < width; ++i) {
      const float a = ours.begin()[t * (width + 1) + target.own(i)];
      const float b = theirs.begin()[t * width + i];
      worst = std::max(worst, static_cast<double>(std::abs(a - b)));
    }
  CHECK_MESSAGE(worst <= 1e-4, name << ": logits differ by " << worst);
}

// A directory that is the `plain` one but for what `damage` does to a file's text.
void expect_refused(const std::string& file, const std::function<void(std::string&)>& damage,
                    std::initializer_list<const char*> parts) {
  const TemporaryDirectory folder;
  assemble("plain", folder.path);
  const std::string path = folder.path + "/" + file;
  std::string text = read_file(path);
  damage(text);
  write_file_atomically(path, text);
  expect_user_error([&] { load_translator(folder.path); }, parts);
}

// `key` has this value instead.
void expect_key_refused(const std::string& file, const std::string& key, const Json& value,
                        std::initializer_list<const char*> parts) {
  const auto change = [&](std::string& text) {
    Json json = Json::parse(text);
    json[key] = value;
    text = json.dump();
  };
  expect_refused(file, change, parts);
}

}  // namespace

TEST_CASE("marian: the tokens, logits and searches of transformers") {
  const Json answers = Json::parse(read_file(golden_directory + "answers.json"));
  const Golden logits("marian/logits.safetensors");
  REQUIRE(answers["models"].size() == 10);
  for (const auto& [name, lines] : answers["models"].items()) {
    const TemporaryDirectory folder;
    assemble(name, folder.path);
    const Translator translator = load_translator(folder.path);
    const MarianVocabulary& source = *translator.source_tokenizer.published();
    const MarianVocabulary& target = *translator.target_tokenizer.published();
    std::vector<std::string> texts;
    for (const Json& line : lines) texts.push_back(line["source"]);
    SearchOptions greedy = translator.search;
    greedy.beam = 1;
    const auto by_beam = translate_lines(translator, texts, translator.search);
    const auto by_greed = translate_lines(translator, texts, greedy);
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const std::string where = name + "/" + std::to_string(i);
      CAPTURE(where);
      const std::vector<int> ids = translator.encode_source(texts[i]);
      std::vector<int> published;
      for (const int id : ids) published.push_back(source.published(id));
      CHECK(Json(published) == lines[i]["ids"]);
      const Ids from({1, static_cast<int>(ids.size())}, {ids.begin(), ids.end()});
      CHECK(translate(translator.model, from, translator.search, *translator.rules)[0].tokens ==
            own_tokens(lines[i]["beam"], target));
      CHECK(translate(translator.model, from, greedy, *translator.rules)[0].tokens ==
            own_tokens(lines[i]["greedy"], target));
      CHECK(by_beam[i] == lines[i]["beam_text"].get<std::string>());
      CHECK(by_greed[i] == lines[i]["greedy_text"].get<std::string>());
      if (i < 2) compare_logits(translator, lines[i], logits(where), where);
    }
  }
}

TEST_CASE("marian: what is none of ours is named by file and key") {
  const std::string config = "config.json", generation = "generation_config.json";
  expect_key_refused(config, "model_type", "bart", {"config.json: model_type: ", "bart"});
  expect_key_refused(config, "activation_function", "tanh", {"activation_function", "tanh"});
  expect_key_refused(config, "decoder_ffn_dim", 23, {"decoder_ffn_dim", "23", "24"});
  expect_key_refused(config, "encoder_layers", 0, {"encoder_layers"});
  expect_key_refused(config, "encoder_layers", 2, {"model.safetensors", "layers.1"});
  expect_key_refused(config, "decoder_layers", 1000000000, {"truncated", "config.json"});
  expect_key_refused(config, "d_model", 18, {"model.safetensors", "16", "18"});
  expect_key_refused(config, "d_model", "16", {"config.json: d_model: "});
  expect_key_refused(config, "vocab_size", 89, {"vocab_size: 89", "vocab.json", "90"});
  expect_key_refused(config, "vocab_size", 91, {"decoder_vocab_size: 90", "91"});
  expect_key_refused(config, "vocab_size", 1 << 30, {"vocab_size: 1073741824 is too large"});
  expect_key_refused(config, "eos_token_id", 3, {"eos_token_id", "</s>"});
  expect_key_refused(config, "pad_token_id", 3, {"pad_token_id", "<pad>"});
  expect_key_refused(config, "max_position_embeddings", 4096, {"max_position_embeddings", "1024"});
  expect_key_refused(generation, "num_beams", 0, {"generation_config.json: num_beams: "});
  expect_key_refused(generation, "no_repeat_ngram_size", 3, {"no_repeat_ngram_size", "no such"});
  expect_key_refused(generation, "bad_words_ids", {{90}}, {"bad_words_ids", "89"});
  expect_key_refused(generation, "forced_eos_token_id", 7, {"forced_eos_token_id", "</s>"});
  expect_key_refused("vocab.json", "▁", 90, {"vocab.json: ▁: 90", "89"});
  expect_key_refused("vocab.json", "</s>", 1, {"vocab.json: </s> and <unk> have the same id, 1"});
  const auto truncated = [](std::string& text) { text.resize(text.size() / 2); };
  expect_refused(config, truncated, {"config.json", "not JSON"});
  expect_refused("vocab.json", truncated, {"vocab.json", "not JSON"});
  expect_refused("source.spm", truncated, {"source.spm", "SentencePiece"});
  expect_refused("model.safetensors", truncated, {"model.safetensors", "truncated"});
}

TEST_CASE("marian: tokens that were added have ids behind the vocabulary's") {
  const TemporaryDirectory folder;
  assemble("plain", folder.path);
  MarianVocabulary vocabulary = MarianVocabulary::read(folder.path + "/vocab.json");
  const int count = vocabulary.size() - 1;
  const std::string number = std::to_string(count + 1);
  folder.file("added_tokens.json", "{\"DOMAIN\": " + number + "}");
  folder.file("special_tokens_map.json",
              R"({"additional_special_tokens": ["<2de>"], "eos_token": "</s>"})");
  const auto enlarged = [&](int pieces) {
    MarianVocabulary larger = MarianVocabulary::read(folder.path + "/vocab.json");
    larger.enlarge(pieces, read_tokens_beside(folder.path));
    return larger;
  };
  vocabulary = enlarged(count + 4);
  CHECK(vocabulary.size() == count + 5);
  CHECK(vocabulary.published(vocabulary.id("DOMAIN")) == count + 1);
  CHECK(vocabulary.published(vocabulary.id("<2de>")) == count);
  CHECK(vocabulary.piece(vocabulary.own(count + 3)).empty());
  const std::string spm = read_file(folder.path + "/source.spm");
  const MarianPieces pieces = MarianPieces::parse(spm, "source.spm", spm, "source.spm", vocabulary);
  const std::vector<int> boat = pieces.encode("the"), both = pieces.encode("<2de>theDOMAIN the");
  std::vector<int> wanted = {vocabulary.own(count)};
  wanted.insert(wanted.end(), boat.begin(), boat.end());
  wanted.push_back(vocabulary.own(count + 1));
  wanted.insert(wanted.end(), boat.begin(), boat.end());
  CHECK(both == wanted);
  CHECK(pieces.decode(both).find("DOMAIN") != std::string::npos);
  CHECK(pieces.decode(both).find("<2de>") == std::string::npos);  // a special one
  expect_user_error(
      [&] { enlarged(count + 1); },
      {"added_tokens.json: DOMAIN: DOMAIN has the id 91, but the model has 91 pieces"});
  folder.file("added_tokens.json", R"({"DOMAIN": 3})");
  expect_user_error([&] { enlarged(count + 4); }, {"which a piece of the vocabulary also has"});
}

}  // namespace xf::test
