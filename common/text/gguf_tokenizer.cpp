#include <algorithm>
#include <map>

#include "io/gguf.hpp"
#include "io/printable.hpp"
#include "text/published_tokenizer.hpp"

namespace xf {

namespace {

const std::string ggml = "tokenizer.ggml.";

// The types of tokens, as numbered in GGUF files.
enum class TokenType { normal = 1, unknown, control, user_defined, unused, byte };

struct GgufTokens {
  std::vector<std::string_view> pieces;
  std::vector<TokenType> types;

  explicit GgufTokens(const GgufFile& file) : pieces(file.texts(ggml + "tokens")) {
    const JsonObject& settings = file.settings();
    const std::string key = ggml + "tokens", kinds = ggml + "token_type";
    if (pieces.empty()) settings.fail(key, "expected a list of strings");
    std::size_t bytes = 0;
    for (const std::string_view piece : pieces) bytes += piece.size();
    if (pieces.size() > std::size_t{TokenTable::max_ids} || bytes > JsonObject::tables)
      settings.fail(key, "too many");
    for (const int number : file.integers(kinds)) types.push_back(static_cast<TokenType>(number));
    if (types.empty()) types.assign(pieces.size(), TokenType::normal);
    if (types.size() != pieces.size()) settings.fail(kinds, "expected as many as there are tokens");
  }

  // Adds the tokens that may occur literally in a text: for byte pairs, those that a user defined
  // are searched for in normalized text; SentencePiece also has unknown ones.
  void add_to(AddedTokens& added, bool of_pieces) const {
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      const bool special =
          types[i] == TokenType::control || (of_pieces && types[i] == TokenType::unknown);
      if (pieces[i].empty() || (!special && types[i] != TokenType::user_defined)) continue;
      added.add({.text = std::string(pieces[i]),
                 .id = static_cast<int>(i),
                 .special = special,
                 .normalized = !special && !of_pieces});
    }
  }

  // All tokens except those that pad the table.
  TokenTable table(const GgufFile& file) const {
    TokenTable tokens;
    for (std::size_t i = 0; i < pieces.size(); ++i)
      if (types[i] != TokenType::unused) tokens.add(pieces[i], static_cast<int>(i));
    tokens.finish(file.path() + ": " + ggml + "tokens");
    return tokens;
  }
};

// How a text is split, looked up by the name of the tokenizer in GGUF files.
struct Cuts {
  CutRule rule;
  bool digits = false, composes = false, whole_first = false, begins = false;
};
const Cuts& cuts_of(const JsonObject& file) {
  using Kind = CutRule::Kind;
  static const Cuts gpt2 = {{Kind::gpt2}}, digits = {{Kind::gpt2}, true},
                    llama3 = {{Kind::llama, 3}, false, false, true, true},
                    qwen2 = {{Kind::llama, 1}, false, true};
  static const std::map<std::string, const Cuts*> known = {
      {"gpt-2", &gpt2},       {"phi-2", &gpt2},       {"olmo", &gpt2},
      {"mpt", &gpt2},         {"smollm", &digits},    {"starcoder", &digits},
      {"refact", &digits},    {"command-r", &digits}, {"codeshell", &digits},
      {"llama-bpe", &llama3}, {"llama3", &llama3},    {"llama-v3", &llama3},
      {"qwen2", &qwen2},      {"stablelm2", &qwen2},  {"deepseek-r1-qwen", &qwen2}};
  const std::string key = ggml + "pre", name = file.text(key);
  const auto found = known.find(name);
  if (found == known.end())
    file.fail(key, words("expected gpt-2, smollm, llama-bpe, qwen2 or one of their aliases, not {}",
                         shortened(name)));
  return *found->second;
}

// SentencePiece merges the two adjacent pieces whose joined piece has the highest score. This is
// expressed as a list of merges: all ways to split a piece in two, highest scores first.
struct PieceMerge {
  std::string_view left, right;
  float score;
  int id;
};
std::vector<PieceMerge> merges_of_pieces(const GgufTokens& known, const TokenTable& tokens,
                                         const GgufFile& file) {
  const auto& pieces = known.pieces;
  const std::vector<float> scores = file.numbers(ggml + "scores");
  if (scores.size() != pieces.size())
    file.settings().fail(ggml + "scores", "expected as many as there are tokens");
  constexpr std::size_t longest = 256;  // bytes
  constexpr std::size_t most = std::size_t{1} << 22;
  std::vector<PieceMerge> all;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (known.types[i] != TokenType::normal && known.types[i] != TokenType::user_defined) continue;
    if (pieces[i].size() > longest)
      file.settings().fail(ggml + "tokens",
                           words("entry {} has {} bytes", i + 1, pieces[i].size()));
    for (std::size_t at = 1; at < pieces[i].size(); ++at) {
      if ((static_cast<unsigned char>(pieces[i][at]) & 0xC0) == 0x80)
        continue;  // within a character
      const std::string_view left = pieces[i].substr(0, at), right = pieces[i].substr(at);
      if (tokens.find(left) >= 0 && tokens.find(right) >= 0)
        all.push_back({left, right, scores[i], static_cast<int>(i)});
    }
    if (all.size() > most)
      file.settings().fail(ggml + "tokens", "too many ways to split them in two");
  }
  std::stable_sort(all.begin(), all.end(), [](const PieceMerge& a, const PieceMerge& b) {
    return std::pair(-a.score, a.id) < std::pair(-b.score, b.id);
  });
  return all;
}

}  // namespace

PublishedTokenizer PublishedTokenizer::of(const GgufFile& file) {
  const JsonObject& settings = file.settings();
  const std::string kind = settings.text(ggml + "model");
  if (kind != "gpt2" && kind != "llama")
    settings.fail(ggml + "model", words("expected gpt2 or llama, not {}", shortened(kind)));
  PublishedTokenizer tokenizer;
  kind == "gpt2" ? tokenizer.take_byte_pairs(file) : tokenizer.take_pieces(file);
  tokenizer.added_.finish([&](std::string_view text) { return tokenizer.normalizer_(text); });
  return tokenizer;
}

void PublishedTokenizer::take_byte_pairs(const GgufFile& file) {
  const Cuts& cuts = cuts_of(file.settings());
  const GgufTokens known(file);
  const std::string name = file.path() + ": " + ggml + "merges";
  known.add_to(added_, false);
  ByteMerges merges(known.table(file), {}, name);
  int number = 0;
  for (const std::string_view line : file.texts(ggml + "merges")) {
    const auto two = two_tokens_of(line);
    ++number;
    if (!two) throw UserError("{}: {}", name, words("entry {} is not a pair of tokens", number));
    merges.add(two->first, two->second);
  }
  merges.finish();
  merges_ = std::make_shared<const ByteMerges>(std::move(merges));
  if (cuts.composes) normalizer_.add_composition();
  if (cuts.digits) cuts_.add_digits();
  cuts_.add_byte_level(cuts.rule, false);
  whole_first_ = cuts.whole_first;
  spelling_ = {Spelling::Kind::byte_level};
  put_around(file.settings(), cuts.begins);
}

void PublishedTokenizer::take_pieces(const GgufFile& file) {
  const JsonObject& settings = file.settings();
  const GgufTokens known(file);
  known.add_to(added_, true);
  TokenTable tokens = known.table(file);
  const std::vector<PieceMerge> parted = merges_of_pieces(known, tokens, file);
  const int unknown = settings.integer(ggml + "unknown_token_id", 0, 0);
  ByteMerges merges(std::move(tokens), {unknown, true, true}, file.path() + ": " + ggml + "tokens");
  for (const PieceMerge& merge : parted) merges.add(merge.left, merge.right);
  merges.finish();
  merges_ = std::make_shared<const ByteMerges>(std::move(merges));
  const bool marked = settings.flag(ggml + "add_space_prefix", true);
  normalizer_.add_space_mark(marked);
  spelling_ = {.kind = Spelling::Kind::pieces,
               .replaced = {{"▁", " "}},
               .byte_fallback = true,
               .stripped = " ",
               .most = marked ? 1 : 0};
  put_around(settings, true);
}

void PublishedTokenizer::put_around(const JsonObject& settings, bool usually_begins) {
  const auto put = [&](const char* which, bool usual, std::vector<int>& where) {
    if (!settings.flag(ggml + "add_" + which + "_token", usual)) return;
    const std::string key = ggml + which + "_token_id";
    if (usual && !settings.has(key)) return;
    const int id = settings.integer(key, 0);
    if (merges_->tokens().token(id).empty())
      settings.fail(key, words("no token has the id {}", id));
    where.push_back(id);
  };
  put("bos", usually_begins, before_);
  put("eos", false, after_);
}

}  // namespace xf
