#include "text/published_tokenizer.hpp"

#include <algorithm>
#include <exception>
#include <optional>

#include "io/files.hpp"
#include "io/json_object.hpp"
#include "io/printable.hpp"
#include "io/utf8.hpp"
#include "text/character_classes.hpp"

namespace xf {

namespace {

using Json = nlohmann::json;

// The two of "a b", where there is one blank between them.
std::optional<std::pair<std::string_view, std::string_view>> two_of(std::string_view text) {
  const std::size_t blank = text.find(' ');
  if (blank == 0 || blank == text.npos || blank + 1 == text.size() ||
      text.find(' ', blank + 1) != text.npos)
    return {};
  return std::pair(text.substr(0, blank), text.substr(blank + 1));
}

// Adds "a b", or ["a", "b"], the entry of that number.
void add_merge(ByteMerges& merges, const JsonObject& model, const Json& entry,
               const std::string& number) {
  if (entry.is_array() && entry.size() == 2 && entry[0].is_string() && entry[1].is_string())
    return merges.add(entry[0].get_ref<const std::string&>(),
                      entry[1].get_ref<const std::string&>());
  if (entry.is_string())
    if (const auto two = two_of(entry.get_ref<const std::string&>()))
      return merges.add(two->first, two->second);
  model.fail("merges", "entry " + std::to_string(std::stoul(number) + 1) + " is no pair of tokens");
}

const Json& list_of(const JsonObject& object, const std::string& key) {
  const Json* list = object.find(key);
  if (!list || !list->is_array()) object.fail(key, "a list [...] is wanted");
  return *list;
}

// The objects of a list, each with its place in it.
std::vector<JsonObject> objects_of(const JsonObject& object, const std::string& key) {
  std::vector<JsonObject> all;
  const Json& list = list_of(object, key);
  for (std::size_t i = 0; i < list.size(); ++i) all.push_back(object.element(key, i));
  return all;
}

// The bytes of the spaces at the front of the text, or at its end.
std::size_t spaces_at_front(std::string_view text) {
  std::size_t bytes = 0;
  while (bytes < text.size()) {
    const CodePoint point = first_code_point(text.substr(bytes));
    if (class_of(point.value) != CharacterClass::space) break;
    bytes += point.bytes;
  }
  return bytes;
}
std::size_t spaces_at_end(std::string_view text) {
  std::size_t bytes = 0;
  for_each_character(text, [&](char32_t value, std::string_view character) {
    bytes = class_of(value) == CharacterClass::space ? bytes + character.size() : 0;
  });
  return bytes;
}

}  // namespace

PublishedTokenizer PublishedTokenizer::load(const std::string& directory, const Usual& usual) {
  PublishedTokenizer tokenizer;
  const std::string whole = directory + "/tokenizer.json";
  if (exists(whole) || !exists(directory + "/vocab.json"))
    tokenizer.read_whole(whole);
  else
    tokenizer.read_two(directory, usual);
  return tokenizer;
}

void PublishedTokenizer::add(const JsonObject& token, int id) {
  if (id >= TokenTable::most_ids) token.fail("id", std::to_string(id) + " is too large");
  if (token.flag("single_word", false)) token.fail("single_word", "true is not known");
  const Added added{.text = token.text("content"),
                    .id = id,
                    .takes_left = token.flag("lstrip", false),
                    .takes_right = token.flag("rstrip", false),
                    .special = token.flag("special", false),
                    .composed = token.flag("normalized", true)};
  if (!added.text.empty()) added_.push_back(added);
}

void PublishedTokenizer::read_whole(const std::string& path) {
  const std::string text = JsonObject::content(path, JsonObject::tables);
  const std::string vocabulary = "model.vocab", list = "model.merges";
  const auto leave = [](const std::string&, const Json&) {};
  TokenTable tokens;
  tokens.reserve(text.size());
  std::exception_ptr wrong;  // another kind of model has other tokens: its kind is told first
  const auto take_token = [&](const std::string& token, const Json& id) {
    try {
      if (!wrong) tokens.take(path + ": " + vocabulary + ".", token, id);
    } catch (const UserError&) {
      wrong = std::current_exception();
    }
  };
  const JsonObject file = JsonObject::parse(text, path, {{vocabulary, take_token}, {list, leave}});
  const JsonObject model = file.object("model");
  if (const std::string type = model.text("type", "BPE"); type != "BPE")
    model.fail("type", "BPE is wanted, not " + shortened(type));
  if (model.flag("byte_fallback", false))
    model.fail("byte_fallback", "true is not known: bytes as characters are wanted");
  for (const char* key : {"continuing_subword_prefix", "end_of_word_suffix"})
    if (!model.text(key, "").empty()) model.fail(key, "\"\" is wanted");
  whole_first_ = model.flag("ignore_merges", false);
  model.object("vocab");
  list_of(model, "merges");
  if (wrong) std::rethrow_exception(wrong);
  tokens.finish(path);
  int unknown = -1;
  if (const std::string token = model.text("unk_token", ""); !token.empty()) {
    unknown = tokens.find(token);
    if (unknown < 0) model.fail("unk_token", shortened(token) + " is no token");
  }
  ByteMerges merges(std::move(tokens), unknown, path);
  merges.reserve(text.size());
  const auto take_merge = [&](const std::string& number, const Json& entry) {
    add_merge(merges, model, entry, number);
  };
  // Once more: the merges may stand before the tokens.
  JsonObject::parse(text, path, {{vocabulary, leave}, {list, take_merge}});
  merges.finish();
  merges_ = std::make_shared<const ByteMerges>(std::move(merges));
  if (file.has("added_tokens"))
    for (const JsonObject& token : objects_of(file, "added_tokens"))
      add(token, token.integer("id", 0));
  if (const auto part = file.object_if_any("normalizer")) read_normalizer(*part);
  if (const auto part = file.object_if_any("pre_tokenizer")) read_cuts(*part);
  if (const auto part = file.object_if_any("post_processor")) read_template(*part);
}

void PublishedTokenizer::read_normalizer(const JsonObject& part) {
  const std::string type = part.text("type");
  if (type == "NFC") {
    composes_ = true;
  } else if (type == "Sequence") {
    for (const JsonObject& inner : objects_of(part, "normalizers")) read_normalizer(inner);
  } else {
    part.fail("type", "NFC is wanted, not " + shortened(type));
  }
}

void PublishedTokenizer::read_cuts(const JsonObject& part) {
  const std::string type = part.text("type");
  if (type == "Sequence") {
    for (const JsonObject& inner : objects_of(part, "pretokenizers")) read_cuts(inner);
  } else if (type == "ByteLevel") {
    space_first_ = space_first_ || part.flag("add_prefix_space", true);
    if (part.flag("use_regex", true)) {
      if (cut_.kind != CutRule::Kind::none) part.fail("use_regex", "there is a Split already");
      cut_ = {CutRule::Kind::gpt2};
    }
  } else if (type == "Split") {
    if (part.text("behavior") != "Isolated" || part.flag("invert", false) ||
        cut_.kind != CutRule::Kind::none)
      part.fail("behavior", "one Split is known, Isolated and not inverted");
    const std::string expression = part.object("pattern").text("Regex");
    cut_ = cut_rule(expression);
    if (cut_.kind == CutRule::Kind::none)
      part.fail("pattern.Regex", "this expression is not known: " + shortened(expression));
  } else {
    part.fail("type", "ByteLevel, Split or Sequence is wanted, not " + shortened(type));
  }
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
              "ByteLevel, TemplateProcessing or Sequence is wanted, not " + shortened(type));
  bool text_seen = false;
  for (const JsonObject& piece : objects_of(part, "single")) {
    if (piece.has("Sequence")) {
      text_seen = true;
      continue;
    }
    const std::string token = piece.object("SpecialToken").text("id");
    const std::vector<int> ids = part.object("special_tokens").object(token).integers("ids");
    std::vector<int>& to = text_seen ? after_ : before_;
    to.insert(to.end(), ids.begin(), ids.end());
  }
}

void PublishedTokenizer::read_two(const std::string& directory, const Usual& usual) {
  cut_ = usual.cut;
  composes_ = usual.composes;
  const std::string vocabulary = directory + "/vocab.json", path = directory + "/merges.txt";
  ByteMerges merges(TokenTable::read(vocabulary), -1, path);
  const std::string content = read_file(path);
  check_utf8(content, path);
  merges.reserve(content.size());
  std::string_view rest = content;
  for (int number = 1; !rest.empty(); ++number) {
    std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || (number == 1 && line.starts_with("#version"))) continue;
    const auto two = two_of(line);
    if (!two) throw UserError(path + ": line " + std::to_string(number) + " is no pair of tokens");
    merges.add(two->first, two->second);
  }
  merges.finish();
  const int end_id = merges.tokens().find("<|endoftext|>");
  merges_ = std::make_shared<const ByteMerges>(std::move(merges));
  const std::string settings = directory + "/tokenizer_config.json";
  bool told = false;
  if (exists(settings))
    if (const auto added =
            JsonObject::read(settings, JsonObject::tables).object_if_any("added_tokens_decoder"))
      for (const std::string& id : added->keys()) {
        if (id.empty() || id.size() > 8 || id.find_first_not_of("0123456789") != id.npos)
          added->fail(shortened(id), "it is no id");
        add(added->object(id), std::stoi(id));
        told = true;
      }
  if (!told && end_id >= 0) added_.push_back({"<|endoftext|>", end_id, false, false, true, false});
}

std::vector<int> PublishedTokenizer::encode(std::string_view text) const {
  std::vector<int> ids = before_;
  append(text, false, ids);
  ids.insert(ids.end(), after_.begin(), after_.end());
  return ids;
}

// First the tokens that stand in the text as it came, then, in what is between them, those that
// stand in it composed: the first one, of several at one place the longest.
void PublishedTokenizer::append(std::string_view text, bool is_composed,
                                std::vector<int>& ids) const {
  const auto rest = [&](std::string_view part) {
    if (part.empty()) return;
    if (is_composed) return append_plain(part, ids);
    append(composes_ ? composed(part) : std::string(part), true, ids);
  };
  while (true) {
    const Added* first = nullptr;
    std::size_t at = text.size();
    for (const Added& added : added_) {
      if (added.composed != is_composed) continue;
      const std::size_t found = text.find(added.text);
      if (found < at || (found == at && first && added.text.size() > first->text.size()))
        first = &added, at = found;
    }
    if (!first) return rest(text);
    std::string_view before = text.substr(0, at);
    text.remove_prefix(at + first->text.size());
    if (first->takes_left) before.remove_suffix(spaces_at_end(before));
    if (first->takes_right) text.remove_prefix(spaces_at_front(text));
    rest(before);
    ids.push_back(first->id);
  }
}

void PublishedTokenizer::append_plain(std::string_view text, std::vector<int>& ids) const {
  std::string spaced;
  if (space_first_ && !text.starts_with(' ')) {
    spaced = " " + std::string(text);
    text = spaced;
  }
  for (const std::string_view piece : cut(text, cut_)) {
    if (const int id = whole_first_ ? merges_->whole(piece) : -1; id >= 0) {
      ids.push_back(id);
      continue;
    }
    const std::vector<int> tokens = merges_->encode(piece);
    ids.insert(ids.end(), tokens.begin(), tokens.end());
  }
}

std::string PublishedTokenizer::bytes(int id) const {
  // Of two added ones with one id the last counts.
  for (auto added = added_.rbegin(); added != added_.rend(); ++added)
    if (added->id == id) return added->special ? "" : added->text;
  return ByteMerges::bytes(merges_->tokens().token(id));
}

int PublishedTokenizer::size() const {
  int last = merges_->tokens().last();
  for (const Added& added : added_) last = std::max(last, added.id);
  return last + 1;
}

std::string PublishedTokenizer::decode(const std::vector<int>& ids) const {
  std::string text;
  for (const int id : ids) text += bytes(id);
  return text;
}

}  // namespace xf
