#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "io/gguf.hpp"
#include "io/printable.hpp"
#include "text/published_tokenizer.hpp"

namespace xf {

namespace {

const std::string ggml = "tokenizer.ggml.";

// What a token is.
enum class TokenType { normal = 1, unknown, control, user_defined, unused, byte };

// How a text is cut, by the name that its tokenizer has in these files.
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
    file.fail(key, "gpt-2, smollm, llama-bpe, qwen2 or one of their names, not " + shortened(name));
  return *found->second;
}

// SentencePiece merges the two neighbours that are the piece of the highest score. As a list of
// merges: all ways to part a piece in two, those of the highest score first.
struct PieceMerge {
  std::string_view left, right;
  float score;
  int id;
};
std::vector<PieceMerge> merges_of_pieces(const std::vector<std::string_view>& pieces,
                                         const std::vector<float>& scores,
                                         const std::vector<TokenType>& types,
                                         const TokenTable& tokens, const GgufFile& file) {
  constexpr std::size_t longest = 256;  // bytes
  std::vector<PieceMerge> all;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (types[i] != TokenType::normal && types[i] != TokenType::user_defined) continue;
    if (pieces[i].size() > longest)
      file.settings().fail(ggml + "tokens", "entry " + std::to_string(i + 1) + " has " +
                                                std::to_string(pieces[i].size()) + " bytes");
    for (std::size_t at = 1; at < pieces[i].size(); ++at) {
      if ((static_cast<unsigned char>(pieces[i][at]) & 0xC0) == 0x80)
        continue;  // within a character
      const std::string_view left = pieces[i].substr(0, at), right = pieces[i].substr(at);
      if (tokens.find(left) >= 0 && tokens.find(right) >= 0)
        all.push_back({left, right, scores[i], static_cast<int>(i)});
    }
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
    settings.fail(ggml + "model", "gpt2 or llama, not " + shortened(kind));
  const bool byte_level = kind == "gpt2";
  const std::vector<std::string_view> pieces = file.texts(ggml + "tokens");
  if (pieces.empty()) settings.fail(ggml + "tokens", "a list of texts is wanted");
  if (pieces.size() > std::size_t{TokenTable::most_ids}) settings.fail(ggml + "tokens", "too many");
  std::vector<int> numbers = file.integers(ggml + "token_type");
  if (numbers.empty()) numbers.assign(pieces.size(), static_cast<int>(TokenType::normal));
  if (numbers.size() != pieces.size())
    settings.fail(ggml + "token_type", "as many as tokens are wanted");
  std::vector<TokenType> types;
  for (const int number : numbers) types.push_back(static_cast<TokenType>(number));

  PublishedTokenizer tokenizer;
  TokenTable tokens;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (types[i] == TokenType::unused) continue;  // such as what fills up a table
    tokens.add(pieces[i], static_cast<int>(i));
    const bool control = types[i] == TokenType::control;
    if (!pieces[i].empty() && (control || types[i] == TokenType::user_defined ||
                               (types[i] == TokenType::unknown && !byte_level)))
      tokenizer.added_.add({.text = std::string(pieces[i]),
                            .id = static_cast<int>(i),
                            .special = types[i] != TokenType::user_defined,
                            .normalized = byte_level && !control});
  }
  tokens.finish(file.path() + ": " + ggml + "tokens");

  const std::string name = file.path() + ": " + ggml + "merges";
  Cuts cuts;
  if (byte_level) {
    cuts = cuts_of(settings);
    ByteMerges merges(std::move(tokens), {}, name);
    int number = 0;
    for (const std::string_view line : file.texts(ggml + "merges")) {
      const auto two = two_tokens_of(line);
      ++number;
      if (!two)
        throw UserError(name + ": entry " + std::to_string(number) + " is no pair of tokens");
      merges.add(two->first, two->second);
    }
    merges.finish();
    tokenizer.merges_ = std::make_shared<const ByteMerges>(std::move(merges));
    if (cuts.composes) tokenizer.normalizer_.add_composition();
    if (cuts.digits) tokenizer.cuts_.add_digits();
    tokenizer.cuts_.add_byte_level(cuts.rule, false);
    tokenizer.whole_first_ = cuts.whole_first;
    tokenizer.spelling_ = {Spelling::Kind::byte_level};
  } else {
    const std::vector<float> scores = file.numbers(ggml + "scores");
    if (scores.size() != pieces.size())
      settings.fail(ggml + "scores", "as many as tokens are wanted");
    const auto parted = merges_of_pieces(pieces, scores, types, tokens, file);
    const int unknown = settings.integer(ggml + "unknown_token_id", 0, 0);
    ByteMerges merges(std::move(tokens), {unknown, true, true}, name);
    for (const PieceMerge& merge : parted) merges.add(merge.left, merge.right);
    merges.finish();
    tokenizer.merges_ = std::make_shared<const ByteMerges>(std::move(merges));
    const bool marked = settings.flag(ggml + "add_space_prefix", true);
    tokenizer.normalizer_.add_space_mark(marked);
    tokenizer.spelling_ = {.kind = Spelling::Kind::pieces,
                           .replaced = {{"▁", " "}},
                           .byte_fallback = true,
                           .stripped = " ",
                           .most = marked ? 1 : 0};
  }
  tokenizer.put_around(settings, !byte_level || cuts.begins);
  tokenizer.added_.finish([&](std::string_view text) { return tokenizer.normalizer_(text); });
  return tokenizer;
}

void PublishedTokenizer::put_around(const JsonObject& settings, bool usually_begins) {
  const auto put = [&](const char* which, bool usual, std::vector<int>& where) {
    if (!settings.flag(ggml + "add_" + which + "_token", usual)) return;
    const std::string key = ggml + which + "_token_id";
    if (usual && !settings.has(key)) return;
    const int id = settings.integer(key, 0);
    if (merges_->tokens().token(id).empty())
      settings.fail(key, "no token has the id " + std::to_string(id));
    where.push_back(id);
  };
  put("bos", usually_begins, before_);
  put("eos", false, after_);
}

}  // namespace xf
