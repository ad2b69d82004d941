#include "fuzz/readers.hpp"

#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "07_transformer/config.hpp"
#include "07_transformer/program/marian.hpp"
#include "08_transformer_xl/config.hpp"
#include "09_since_2017/program/published_config.hpp"
#include "09_since_2017/program/published_model.hpp"
#include "io/files.hpp"
#include "io/gguf.hpp"
#include "io/published_weights.hpp"
#include "io/safetensors.hpp"
#include "support/raw_bytes.hpp"
#include "support/temporary.hpp"
#include "text/marian_pieces.hpp"
#include "text/marian_vocabulary.hpp"
#include "text/published_tokenizer.hpp"
#include "text/vocabulary.hpp"

namespace xf::test {

namespace {

const std::string golden = XF_TEST_DATA "/";

std::string file(const std::string& name) { return read_file(golden + name); }
std::string both(const std::string& one, const std::string& other) {
  return one + std::string(1, '\0') + other;
}

// A directory for the readers that take one; it goes when the program ends.
const std::string& folder() {
  static const TemporaryDirectory made;
  return made.path;
}
void put(const std::string& name, const std::string& bytes) {
  std::ofstream(folder() + "/" + name, std::ios::binary) << bytes;
}
void remove(std::initializer_list<const char*> names) {
  std::error_code ignored;
  for (const char* name : names) std::filesystem::remove(folder() + "/" + name, ignored);
}
// The two files that were one.
std::pair<std::string, std::string> parted(const std::string& bytes) {
  const std::size_t nul = bytes.find('\0');
  if (nul == bytes.npos) return {bytes, ""};
  return {bytes.substr(0, nul), bytes.substr(nul + 1)};
}

// vocab.json and merges.txt, of the model in tokenizer.json.
std::string two_files() {
  return both(R"({"a":0,"b":1,"c":2,"ab":3,"abc":4,"Ġ":5,"Ġab":6,"<|endoftext|>":7})",
              "#version: 0.2\na b\nab c\nĠ ab\n");
}

void take_all(PublishedWeights weights) {
  for (const std::string& name : weights.names()) weights.take(name);
  weights.check_all_taken();
}

void read_own_config(const std::string& bytes) {
  checked(from_json<TransformerXlConfig>(bytes, "config.json"));
}
void read_translator_config(const std::string& bytes) {
  layer_sizes(from_json<TransformerConfig>(bytes, "config.json"));
}
void read_their_config(const std::string& bytes) {
  const auto [config, generation] = parted(bytes);
  put("config.json", config);
  remove({"generation_config.json"});
  if (!generation.empty()) put("generation_config.json", generation);
  read_published_config(folder());
}
// All the files of Marian's directory but these two are whole.
void read_marian_config(const std::string& bytes) {
  static const std::string marian = [] {
    const std::string made = folder() + "/marian";
    std::filesystem::create_directory(made);
    for (const char* name : {"source.spm", "target.spm", "vocab.json"})
      put(std::string("marian/") + name, file(std::string("marian/") + name));
    put("marian/model.safetensors", file("marian/plain/model.safetensors"));
    return made;
  }();
  const auto [config, generation] = parted(bytes);
  put("marian/config.json", config);
  put("marian/generation_config.json", generation);
  load_marian(marian);
}
void read_vocabulary(const std::string& bytes) {
  const Vocabulary vocabulary = Vocabulary::parse(bytes, "text.vocab.txt");
  for (int id = 0; id < vocabulary.size(); ++id) vocabulary.id(vocabulary.token(id));
}
void read_marian_vocabulary(const std::string& bytes) {
  put("vocab.json", bytes);
  const MarianVocabulary vocabulary = MarianVocabulary::read(folder() + "/vocab.json");
  for (int id = 1; id < vocabulary.size(); ++id)  // <pad> has no number of its own there
    if (vocabulary.own(vocabulary.published(id)) != id)
      throw std::runtime_error("marian_vocabulary: there and back is another id");
}

void use(const PublishedTokenizer& tokenizer) {
  const char* lines[] = {"The house is small.", "  a\tb\r\n\n c 12345", "Größe ½ 北京 😀 e\u0301",
                         "", "<|endoftext|><s> x"};
  for (const char* line : lines) tokenizer.decode(tokenizer.encode(line));
  std::vector<int> ids;
  for (int id = 0; id < std::min(tokenizer.size(), 1000); ++id) ids.push_back(id);
  tokenizer.decode(ids);
}
void read_tokenizer(const std::string& bytes) {
  remove({"vocab.json", "merges.txt", "tokenizer_config.json", "added_tokens.json"});
  put("tokenizer.json", bytes);
  use(PublishedTokenizer::load(folder(), PublishedTokenizer::Usual{}));
}
void read_merges(const std::string& bytes) {
  remove({"tokenizer.json", "tokenizer_config.json", "added_tokens.json"});
  const auto [vocabulary, merges] = parted(bytes);
  put("vocab.json", vocabulary);
  put("merges.txt", merges);
  use(PublishedTokenizer::load(folder(), PublishedTokenizer::Usual{}));
}

// The files beside vocab.json: tokenizer_config.json and added_tokens.json.
void read_beside(const std::string& bytes) {
  remove({"tokenizer.json"});
  const auto [vocabulary, merges] = parted(two_files());
  const auto [settings, numbers] = parted(bytes);
  put("vocab.json", vocabulary);
  put("merges.txt", merges);
  put("tokenizer_config.json", settings);
  put("added_tokens.json", numbers);
  use(PublishedTokenizer::load(folder(), PublishedTokenizer::Usual{}));
}

// A SentencePiece model, with its table of characters.
void read_pieces(const std::string& bytes) {
  static const MarianVocabulary vocabulary =
      MarianVocabulary::read(golden + "marian/source_vocab.json");
  const MarianPieces pieces = MarianPieces::parse(bytes, "a.spm", bytes, "a.spm", vocabulary);
  for (const char* line : {"The ｆull ① house", "ﬁ é e\u0301 № ½\xFF", ""})
    pieces.decode(pieces.encode(line));
}

void read_weights(const std::string& bytes) {
  parse_safetensors(bytes, "model.safetensors");
  remove({"model.safetensors.index.json"});
  put("model.safetensors", bytes);
  take_all(PublishedWeights(folder()));
}
void read_shards(const std::string& bytes) {
  remove({"model.safetensors"});
  const auto [index, shard] = parted(bytes);
  put("model.safetensors.index.json", index);
  put("a.safetensors", shard);
  take_all(PublishedWeights(folder()));
}

// A model in one file, and files of its parameters or its tokenizer alone.
void read_gguf(const std::string& bytes) {
  put("model.gguf", bytes);
  load_published_model(folder() + "/model.gguf");
}
void read_gguf_weights(const std::string& bytes) {
  put("model.gguf", bytes);
  take_all(PublishedWeights(folder() + "/model.gguf"));
}
void read_gguf_tokenizer(const std::string& bytes) {
  put("model.gguf", bytes);
  use(PublishedTokenizer::of(GgufFile::open(folder() + "/model.gguf")));
}

std::string index_of(const std::string& shard) {
  return both(R"({"metadata":{"total_size":24},"weight_map":{"w":"a.safetensors",)"
              R"("half":"a.safetensors"}})",
              shard);
}
// A header and data with a tensor of each dtype that can be read.
std::string small_tensors() {
  const std::string header = R"({"w":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]},)"
                             R"("half":{"dtype":"F16","shape":[4],"data_offsets":[8,16]},)"
                             R"("brain":{"dtype":"BF16","shape":[2],"data_offsets":[16,20]},)"
                             R"("long":{"dtype":"F64","shape":[1],"data_offsets":[20,28]}})";
  return counted(header) + std::string(28, '\x3c');
}

}  // namespace

const std::vector<HostileReader>& hostile_readers() {
  static const std::vector<HostileReader> all = {
      {"own_config",
       {file("model_xl/config.json"), file("model_xl_narrow/config.json")},
       read_own_config},
      {"translator_config",
       {file("model_word/config.json"), file("model_bpe/config.json")},
       read_translator_config},
      {"published_config",
       {both(file("published/gpt2-scales/config.json"), R"({"eos_token_id":[1,2]})"),
        file("published/llama-scaled/config.json"), file("published/qwen2-window/config.json"),
        both(file("published/llama-linear/config.json"), R"({"eos_token_id":5})")},
       read_their_config},
      {"marian_config",
       {both(file("marian/plain/config.json"), file("marian/plain/generation_config.json"))},
       read_marian_config},
      {"vocabulary",
       {file("model_xl/text.vocab.txt"), file("model_word/source.vocab.txt")},
       read_vocabulary},
      {"marian_vocabulary",
       {file("marian/vocab.json"), file("marian/target_vocab.json")},
       read_marian_vocabulary},
      {"tokenizer",
       {file("published/gpt2-plain/tokenizer.json"), file("published/llama-plain/tokenizer.json"),
        file("published/qwen2-plain/tokenizer.json"),
        file("published_tokenizers/splits/tokenizer.json"),
        file("published_tokenizers/fallback/tokenizer.json"),
        file("published_tokenizers/metaspace/tokenizer.json"),
        file("published_tokenizers/punctuation/tokenizer.json")},
       read_tokenizer},
      {"merges", {two_files()}, read_merges},
      {"beside",
       {both(R"({"added_tokens_decoder":{"8":{"content":"<x>","lstrip":true,"special":false}},)"
             R"("additional_special_tokens":["<y>",{"content":"c"}],"eos_token":"<|endoftext|>"})",
             R"({"<x>":8,"a b":12})")},
       read_beside},
      {"pieces", {file("marian/source.spm"), file("marian/target.spm")}, read_pieces},
      {"weights",
       {small_tensors(), file("published/qwen2-float16/model.safetensors")},
       read_weights},
      {"gguf", {file("gguf/qwen2.gguf"), file("gguf/llama.gguf")}, read_gguf},
      {"gguf_weights", {file("gguf/kinds.gguf")}, read_gguf_weights},
      {"gguf_tokenizer", {file("gguf/pieces.gguf"), file("gguf/smollm.gguf")}, read_gguf_tokenizer},
      {"shards", {index_of(small_tensors())}, read_shards}};
  return all;
}

void read_hostile(const HostileReader& reader, const std::string& bytes) {
  try {
    reader.read(bytes);
  } catch (const UserError& error) {
    // What of a message came from a file, is made printable where it is printed.
    if (std::string_view(error.what()).empty())
      throw std::runtime_error(std::string(reader.name) + ": an error that says nothing");
  }
}

}  // namespace xf::test
