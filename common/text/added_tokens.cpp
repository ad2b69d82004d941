#include "text/added_tokens.hpp"

#include <algorithm>

#include "io/files.hpp"
#include "io/json_object.hpp"
#include "io/printable.hpp"
#include "io/utf8.hpp"
#include "text/text_pattern.hpp"
#include "text/token_table.hpp"
#include "text/unicode.hpp"

namespace xf {

namespace {

using Json = nlohmann::json;

// How many bytes of spaces the text begins with; below, how many it ends with.
std::size_t spaces_at_front(std::string_view text) {
  std::size_t bytes = 0;
  while (bytes < text.size()) {
    const CodePoint point = first_code_point(text.substr(bytes));
    if (class_of(point.value) != CharacterClass::space) break;
    bytes += point.bytes;
  }
  return bytes;
}

// The last character of a non-empty UTF-8 text.
std::string_view last_character(std::string_view text) {
  std::size_t begin = text.size() - 1;
  while (begin > 0 && (static_cast<unsigned char>(text[begin]) & 0xC0) == 0x80) --begin;
  return text.substr(begin);
}

std::size_t spaces_at_end(std::string_view text) {
  std::size_t bytes = 0;
  while (bytes < text.size()) {
    const std::string_view last = last_character(text.substr(0, text.size() - bytes));
    if (class_of(first_code_point(last).value) != CharacterClass::space) break;
    bytes += last.size();
  }
  return bytes;
}

bool in_a_word(std::string_view character) {
  static const TextPattern word =
      TextPattern::expression(R"([\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}])");
  return word.parts(character).front().match;
}

// Whether neither `before` ends with nor `behind` begins with a character of a word.
bool stands_alone(std::string_view before, std::string_view behind) {
  return (before.empty() || !in_a_word(last_character(before))) &&
         (behind.empty() || !in_a_word(behind.substr(0, first_code_point(behind).bytes)));
}

// The tokens in the files beside a tokenizer.
class Beside {
 public:
  void add(AddedToken token) {
    if (token.text.empty()) return;
    const auto [at, is_new] = places_.try_emplace(token.text, all.size());
    if (is_new) return all.push_back(std::move(token));
    AddedToken& known = all[at->second];
    known.special = known.special || token.special;
    if (token.id < 0 || token.id == known.id) return;
    if (known.id >= 0)
      throw UserError("{}: {} has the id {}, but {} in {}", token.place, shortened(token.text),
                      token.id, known.id, known.place);
    known.id = token.id;
  }

  // Adds {"5": {"content": "<|user|>", ...}, ...} from a settings file, and returns the file.
  JsonObject settings(const std::string& path) {
    const std::string key = "added_tokens_decoder";
    const auto take = [&](const std::string& id, const Json& entry) {
      const std::string place = key + "." + shortened(id);
      if (id.empty() || id.size() > 8 || id.find_first_not_of("0123456789") != id.npos)
        throw UserError("{}: {}: not an id", path, place);
      AddedToken token = AddedToken::read(JsonObject::taken(entry, path, place), "");
      token.id = std::stoi(id);
      token.place = path + ": " + place;
      add(std::move(token));
    };
    return JsonObject::read(path, JsonObject::tables, {{key, take, true}});
  }

  // The special tokens under their names, each as a text or an entry; also lists of them.
  void named(const JsonObject& file) {
    for (const char* key : {"bos_token", "eos_token", "unk_token", "sep_token", "pad_token",
                            "cls_token", "mask_token"})
      if (file.has(key)) special(file, key, *file.find(key));
    for (const char* key : {"additional_special_tokens", "extra_special_tokens"}) {
      const Json* several = file.find(key);
      if (!several) continue;
      if (!several->is_structured()) file.fail(key, "expected a list [...]");
      for (const auto& [name, value] : several->items())
        special(file, std::string(key) + (several->is_array() ? "[" + name + "]" : "." + name),
                value);
    }
  }

  std::vector<AddedToken> all;

 private:
  void special(const JsonObject& file, const std::string& key, const Json& value) {
    AddedToken token = {.special = true, .normalized = false, .place = file.path() + ": " + key};
    if (value.is_string())
      token.text = value.get<std::string>();
    else
      token = AddedToken::read(JsonObject::taken(value, file.path(), key), token.place, true);
    add(std::move(token));
  }

  std::map<std::string, std::size_t> places_;
};

}  // namespace

AddedToken AddedToken::read(const JsonObject& entry, const std::string& place, bool known) {
  const bool special = known || entry.flag("special", false);
  return {.text = entry.text("content"),
          .takes_left = entry.flag("lstrip", false),
          .takes_right = entry.flag("rstrip", false),
          .single_word = entry.flag("single_word", false),
          .special = special,
          .normalized = entry.flag("normalized", !special),
          .place = place};
}

std::vector<AddedToken> read_tokens_beside(const std::string& directory) {
  Beside beside;
  const std::string settings = directory + "/tokenizer_config.json";
  const std::string names = directory + "/special_tokens_map.json";
  const std::string numbers = directory + "/added_tokens.json";
  std::vector<JsonObject> files;
  if (exists(settings)) files.push_back(beside.settings(settings));
  if (exists(names)) files.push_back(JsonObject::read(names, JsonObject::tables));
  for (const JsonObject& file : files) beside.named(file);
  if (!exists(numbers)) return beside.all;
  const auto take = [&](const std::string& text, const Json& value) {
    const std::string place = numbers + ": " + shortened(text);
    beside.add({.text = text, .id = JsonObject::integer_of(value, 0, place), .place = place});
  };
  JsonObject::read(numbers, JsonObject::tables, {{"", take}});
  return beside.all;
}

void AddedTokens::add(AddedToken token) {
  if (token.id >= TokenTable::max_ids)
    throw UserError("{}: the id {} is too large", token.place, token.id);
  last_ = std::max(last_, token.id);
  if (const auto known = by_text_.find(token.text); known != by_text_.end())
    if (AddedToken& same = tokens_[known->second]; same.id == token.id) {
      same = std::move(token);
      by_id_[same.id] = known->second;
      return;
    }
  by_text_[token.text] = by_id_[token.id] = tokens_.size();
  tokens_.push_back(std::move(token));
}

const AddedToken* AddedTokens::find(std::string_view text) const {
  const auto found = by_text_.find(text);
  return found == by_text_.end() ? nullptr : &tokens_[found->second];
}

const AddedToken* AddedTokens::find(int id) const {
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? nullptr : &tokens_[found->second];
}

void AddedTokens::finish(const std::function<std::string(std::string_view)>& normalize) {
  std::map<std::string, std::size_t> normalized;
  for (const auto& [text, token] : by_text_) {
    if (tokens_[token].normalized)
      normalized[normalize(text)] = token;
    else
      raw_.add(text, token);
  }
  normalized.erase("");
  for (const auto& [text, token] : normalized) normalized_.add(text, token);
}

void AddedTokens::Kind::add(const std::string& text, std::size_t token) {
  all.push_back({text, token});
  first_bytes.set(static_cast<unsigned char>(text[0]));
}

// Since the texts are sorted, the candidates that match the first bytes are adjacent, and every
// further byte narrows the range.
AddedTokens::Match AddedTokens::first_match(const Kind& kind, std::string_view text,
                                            std::size_t from) {
  for (std::size_t begin = from; begin < text.size(); ++begin) {
    if (!kind.first_bytes[static_cast<unsigned char>(text[begin])]) continue;
    auto first = kind.all.begin(), last = kind.all.end();
    Match longest = {begin, begin, 0};
    for (std::size_t i = 0; first != last && begin + i <= text.size(); ++i) {
      if (first->text.size() == i) {  // shorter texts come first
        longest = {begin, begin + i, first->token};
        if (++first == last) break;
      }
      if (begin + i == text.size()) break;
      const auto byte = static_cast<unsigned char>(text[begin + i]);
      const auto at = [i](const Sought& one) { return static_cast<unsigned char>(one.text[i]); };
      first = std::partition_point(first, last, [&](const Sought& a) { return at(a) < byte; });
      last = std::partition_point(first, last, [&](const Sought& a) { return at(a) == byte; });
    }
    if (longest.end > begin) return longest;
  }
  return {text.size(), text.size(), 0};
}

void AddedTokens::along(std::string_view text, bool normalized, const Plain& plain,
                        const Token& take) const {
  const Kind& kind = normalized ? normalized_ : raw_;
  std::size_t given = 0;  // bytes of the text
  for (std::size_t from = 0; !kind.all.empty() && from < text.size();) {
    auto [begin, end, place] = first_match(kind, text, from);
    if (begin == text.size()) break;
    from = end;
    const AddedToken& token = tokens_[place];
    if (token.single_word && !stands_alone(text.substr(0, begin), text.substr(end))) continue;
    if (token.takes_left) begin = std::max(given, begin - spaces_at_end(text.substr(0, begin)));
    if (token.takes_right) end += spaces_at_front(text.substr(end));
    if (given < begin) plain(text.substr(given, begin - given), given == 0);
    take(token.id);
    given = end;
  }
  if (given < text.size()) plain(text.substr(given), given == 0);
}

}  // namespace xf
