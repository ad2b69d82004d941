#include "text/published_tokenizer.hpp"

#include <algorithm>
#include <exception>

#include "io/files.hpp"
#include "io/json_object.hpp"
#include "io/printable.hpp"
#include "io/utf8.hpp"

namespace xf {

namespace {

using Json = nlohmann::json;

constexpr const char* end_of_text = "<|endoftext|>";  // special in GPT-2's and Qwen2's tokenizers

// Adds one entry of the list, "a b" or ["a", "b"]; `number` is its index.
void add_merge(ByteMerges& merges, const JsonObject& model, const Json& entry,
               const std::string& number) {
  if (entry.is_array() && entry.size() == 2 && entry[0].is_string() && entry[1].is_string())
    return merges.add(entry[0].get_ref<const std::string&>(),
                      entry[1].get_ref<const std::string&>());
  if (entry.is_string())
    if (const auto two = two_tokens_of(entry.get_ref<const std::string&>()))
      return merges.add(two->first, two->second);
  model.fail("merges", words("entry {} is not a pair of tokens", std::stoul(number) + 1));
}

void want_list(const JsonObject& object, const std::string& key) {
  const Json* list = object.find(key);
  if (!list || !list->is_array()) object.fail(key, "expected a list [...]");
}

int unknown_of(const JsonObject& model, const std::string& token, const TokenTable& tokens) {
  const int id = tokens.find(token);
  if (id < 0) model.fail("unk_token", words("{} is not a token", shortened(token)));
  return id;
}

// The BPE model without its merges.
ByteMerges merges_of(const JsonObject& model, TokenTable tokens) {
  ByteMerges::Unknown unknown = {-1, model.flag("fuse_unk", false),
                                 model.flag("byte_fallback", false)};
  if (const std::string token = model.text("unk_token", ""); !token.empty())
    unknown.id = unknown_of(model, token, tokens);
  return {std::move(tokens), unknown, model.path()};
}

std::shared_ptr<const LongestPieces> pieces_of(const JsonObject& model, TokenTable tokens) {
  LongestPieces::Rules rules = {.inside = model.text("continuing_subword_prefix", "##")};
  rules.unknown = unknown_of(model, model.text("unk_token", "[UNK]"), tokens);
  rules.longest_word = model.integer("max_input_chars_per_word", 1, rules.longest_word);
  return std::make_shared<const LongestPieces>(std::move(tokens), std::move(rules));
}

}  // namespace

std::optional<std::pair<std::string_view, std::string_view>> two_tokens_of(std::string_view text) {
  const std::size_t blank = text.find(' ');
  if (blank == 0 || blank == text.npos || blank + 1 == text.size() ||
      text.find(' ', blank + 1) != text.npos)
    return {};
  return std::pair(text.substr(0, blank), text.substr(blank + 1));
}

PublishedTokenizer PublishedTokenizer::load(const std::string& directory,
                                            const std::optional<Usual>& usual) {
  PublishedTokenizer tokenizer;
  const std::string whole = directory + "/tokenizer.json";
  const bool two_files = usual && !exists(whole) && exists(directory + "/vocab.json");
  two_files ? tokenizer.read_two(directory, *usual) : tokenizer.read_whole(whole);
  tokenizer.add_beside(directory);
  // Qwen2's vocab.json ends before this token; where no file names it, it gets the next id.
  if (two_files && usual->composes && tokenizer.added(end_of_text) < 0)
    tokenizer.added_.add(
        {.text = end_of_text, .id = tokenizer.size(), .special = true, .normalized = false});
  const std::string settings = directory + "/tokenizer_config.json";
  if (usual && exists(settings)) tokenizer.follow_settings(settings, *usual, two_files);
  tokenizer.added_.finish([&](std::string_view text) { return tokenizer.normalizer_(text); });
  return tokenizer;
}

// Adds the tokens in the files beside it; one without a number gets the vocabulary's or a new one.
void PublishedTokenizer::add_beside(const std::string& directory) {
  for (AddedToken& token : read_tokens_beside(directory)) {
    const AddedToken* known = added_.find(token.text);
    const int own = known ? known->id : tokens().find(token.text);
    if (token.id >= 0 && own >= 0 && token.id != own)
      throw UserError("{}: {} has the id {}, but {} in the tokenizer", token.place,
                      shortened(token.text), token.id, own);
    if (known) continue;
    if (token.id < 0) token.id = own >= 0 ? own : size();
    added_.add(std::move(token));
  }
}

// What tokenizer_config.json says about every text: whether a space precedes it and, without a
// tokenizer.json, which tokens surround it.
void PublishedTokenizer::follow_settings(const std::string& path, const Usual& usual,
                                         bool two_files) {
  const auto leave = [](const std::string&, const Json&) {};
  const JsonObject file =
      JsonObject::read(path, JsonObject::tables, {{"added_tokens_decoder", leave, true}});
  if (file.has("add_prefix_space")) cuts_.put_space_first(file.flag("add_prefix_space", false));
  if (!two_files) return;
  const auto put = [&](const std::string& which, std::vector<int>& where) {
    const std::string key = which + "_token";
    if (!file.flag("add_" + key, false)) return;
    const Json* named = file.find(key);
    const std::string unsaid = which == "bos" && usual.composes ? "" : end_of_text;  // Qwen2: none
    const std::string text =
        named && named->is_object() ? file.object(key).text("content") : file.text(key, unsaid);
    if (text.empty()) return;
    const int id = added(text);
    if (id < 0) file.fail(key, words("{} is not a token", shortened(text)));
    where.push_back(id);
  };
  put("bos", before_);
  put("eos", after_);
}

void PublishedTokenizer::read_whole(const std::string& path) {
  const std::string text = JsonObject::content(path, JsonObject::tables);
  const std::string vocabulary = "model.vocab", list = "model.merges";
  const auto leave = [](const std::string&, const Json&) {};
  TokenTable tokens;
  tokens.reserve(text.size());
  std::exception_ptr wrong;  // kept, so that an unsupported model type is reported first
  const auto take_token = [&](const std::string& token, const Json& id) {
    try {
      if (!wrong) tokens.take(path + ": " + vocabulary + ".", token, id);
    } catch (const UserError&) {
      wrong = std::current_exception();
    }
  };
  const std::string more = "added_tokens";
  const auto take_added = [&](const std::string& number, const Json& value) {
    const std::string place = more + "[" + number + "]";
    const JsonObject entry = JsonObject::taken(value, path, place);
    AddedToken token = AddedToken::read(entry, "");
    token.id = entry.integer("id", 0);
    if (token.id >= TokenTable::max_ids) entry.fail("id", words("{} is too large", token.id));
    if (!token.text.empty()) added_.add(std::move(token));
  };
  const JsonObject file =
      JsonObject::parse(text, path, {{vocabulary, take_token}, {list, leave}, {more, take_added}});
  const JsonObject model = file.object("model");
  const std::string type = model.text("type", "BPE");
  if (type != "BPE" && type != "WordPiece")
    model.fail("type", words("expected BPE or WordPiece, not {}", shortened(type)));
  model.object("vocab");
  if (file.has(more)) want_list(file, more);
  if (type == "BPE") {
    for (const char* key : {"continuing_subword_prefix", "end_of_word_suffix"})
      if (!model.text(key, "").empty()) model.fail(key, "expected \"\"");
    want_list(model, "merges");
  }
  if (wrong) std::rethrow_exception(wrong);
  tokens.finish(path);
  if (type == "WordPiece") {
    pieces_ = pieces_of(model, std::move(tokens));
  } else {
    ByteMerges merges = merges_of(model, std::move(tokens));
    merges.reserve(text.size());
    const auto take_merge = [&](const std::string& number, const Json& entry) {
      add_merge(merges, model, entry, number);
    };
    // A second pass, because the merges may come before the tokens.
    JsonObject::parse(text, path, {{vocabulary, leave}, {list, take_merge}, {more, leave}});
    merges.finish();
    merges_ = std::make_shared<const ByteMerges>(std::move(merges));
    whole_first_ = model.flag("ignore_merges", false);
  }
  if (const auto part = file.object_if_any("normalizer")) normalizer_.read(*part);
  if (const auto part = file.object_if_any("pre_tokenizer")) cuts_.read(*part);
  if (const auto part = file.object_if_any("post_processor")) read_template(*part);
  if (const auto part = file.object_if_any("decoder")) spelling_ = Spelling::read(*part);
}

void PublishedTokenizer::read_template(const JsonObject& part) {
  const std::string type = part.text("type");
  if (type == "ByteLevel") return;  // it moves offsets, not tokens
  if (type == "Sequence") {
    for (const JsonObject& inner : objects_of(part, "processors")) read_template(inner);
    return;
  }
  if (type != "TemplateProcessing")
    part.fail("type",
              words("expected ByteLevel, TemplateProcessing or Sequence, not {}", shortened(type)));
  std::vector<int> around[2];  // before and after the text
  int texts = 0;
  for (const JsonObject& piece : objects_of(part, "single")) {
    if (piece.has("Sequence")) {
      ++texts;
      continue;
    }
    const std::string token = piece.object("SpecialToken").text("id");
    const JsonObject special = part.object("special_tokens").object(token);
    for (const int id : special.integers("ids")) {
      if (!added_.find(id) && tokens().token(id).empty())
        special.fail("ids", words("no token has the id {}", id));
      around[texts > 0].push_back(id);
    }
  }
  if (texts != 1) part.fail("single", "expected one Sequence");
  before_.insert(before_.begin(), around[0].begin(), around[0].end());
  after_.insert(after_.end(), around[1].begin(), around[1].end());
}

void PublishedTokenizer::read_two(const std::string& directory, const Usual& usual) {
  cuts_.add_byte_level(usual.cut, false);
  spelling_ = {Spelling::Kind::byte_level};
  if (usual.composes) normalizer_.add_composition();
  const std::string vocabulary = directory + "/vocab.json", path = directory + "/merges.txt";
  ByteMerges merges(TokenTable::read(vocabulary), {}, path);
  const std::string content = read_file(path);
  check_utf8(content, path);
  merges.reserve(content.size());
  std::string_view rest = content;
  for (int number = 1; !rest.empty(); ++number) {
    std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || (number == 1 && line.starts_with("#version"))) continue;
    const auto two = two_tokens_of(line);
    if (!two) throw UserError("{}: line {} is not a pair of tokens", path, number);
    merges.add(two->first, two->second);
  }
  merges.finish();
  const int end_id = merges.tokens().find(end_of_text);
  merges_ = std::make_shared<const ByteMerges>(std::move(merges));
  if (end_id >= 0)
    added_.add({.text = end_of_text, .id = end_id, .special = true, .normalized = false});
}

std::vector<int> PublishedTokenizer::encode(std::string_view text, bool around) const {
  std::vector<int> ids;
  if (around) ids = before_;
  const auto take = [&](int id) { ids.push_back(id); };
  // First the tokens in the original text, then, between them, those in the normalized text.
  const auto raw = [&](std::string_view part, bool first) {
    const auto plain = [&](std::string_view text_between, bool at_front) {
      append_plain(text_between, first && at_front, ids);
    };
    added_.along(normalizer_(part), true, plain, take);
  };
  added_.along(text, false, raw, take);
  if (around) ids.insert(ids.end(), after_.begin(), after_.end());
  return ids;
}

void PublishedTokenizer::append_plain(std::string_view text, bool first,
                                      std::vector<int>& ids) const {
  const bool bytes = cuts_.byte_level();
  cuts_(text, first, [&](std::string_view piece) {
    if (whole_first_) {
      const int id = bytes ? merges_->whole(piece) : merges_->tokens().find(piece);
      if (id >= 0) return ids.push_back(id);
    }
    const std::vector<int> tokens = pieces_ ? pieces_->encode(piece)
                                    : bytes ? merges_->encode(piece)
                                            : merges_->encode_characters(piece);
    ids.insert(ids.end(), tokens.begin(), tokens.end());
  });
}

void PublishedTokenizer::append(int id, TokenText& text, std::string& to) const {
  const AddedToken* added = added_.find(id);
  if (added && added->special) return;
  // As in `tokenizers`: one that is searched for in normalized text is also spelled so.
  const std::string spelled =
      added && added->normalized ? normalizer_(added->text) : std::string(token(id));
  if (!spelled.empty()) to += text.take(spelled);
}

std::string_view PublishedTokenizer::token(int id) const {
  const AddedToken* added = added_.find(id);
  return added ? std::string_view(added->text) : tokens().token(id);
}

std::string PublishedTokenizer::decode(const std::vector<int>& ids) const {
  TokenText spelled = text();
  std::string all;
  for (const int id : ids) append(id, spelled, all);
  return all + spelled.end();
}

int PublishedTokenizer::size() const { return std::max(tokens().last(), added_.last()) + 1; }

int PublishedTokenizer::added(std::string_view text) const {
  const AddedToken* token = added_.find(text);
  return token ? token->id : -1;
}

}  // namespace xf
