#include "text/published_tokenizer.hpp"

#include <algorithm>
#include <sstream>

#include "io/files.hpp"
#include "io/json_object.hpp"
#include "io/printable.hpp"
#include "io/utf8.hpp"
#include "text/character_classes.hpp"

namespace xf {

namespace {

using Json = nlohmann::json;

constexpr int most_tokens = 1 << 24;

// {"token": id, ...}
std::unordered_map<std::string, int> token_ids(const JsonObject& vocabulary) {
  std::unordered_map<std::string, int> ids;
  for (const std::string& token : vocabulary.keys()) {
    const int id = vocabulary.integer(token, 0);
    if (id >= most_tokens) vocabulary.fail(token, "the id " + std::to_string(id) + " is too large");
    ids[token] = id;
  }
  return ids;
}

// "a b", or ["a", "b"].
ByteMerges::Pair merge_of(const JsonObject& model, const Json& entry, std::size_t number) {
  if (entry.is_array() && entry.size() == 2 && entry[0].is_string() && entry[1].is_string())
    return {entry[0].get<std::string>(), entry[1].get<std::string>()};
  if (entry.is_string()) {
    const auto text = entry.get<std::string>();
    const std::size_t blank = text.find(' ');
    if (blank != text.npos && text.find(' ', blank + 1) == text.npos)
      return {text.substr(0, blank), text.substr(blank + 1)};
  }
  model.fail("merges", "entry " + std::to_string(number) + " is no pair of tokens");
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
  std::size_t begin = text.size();
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = first_code_point(text.substr(at));
    if (class_of(point.value) != CharacterClass::space) begin = at + point.bytes;
    at += point.bytes;
  }
  const bool all = spaces_at_front(text) == text.size();
  return all ? text.size() : text.size() - begin;
}

}  // namespace

PublishedTokenizer PublishedTokenizer::load(const std::string& directory, const Usual& usual) {
  PublishedTokenizer tokenizer;
  const std::string whole = directory + "/tokenizer.json";
  if (exists(whole) || !exists(directory + "/vocab.json"))
    tokenizer.read_whole(JsonObject::read(whole, JsonObject::tables));
  else
    tokenizer.read_two(directory, usual);
  return tokenizer;
}

void PublishedTokenizer::learn(std::unordered_map<std::string, int> ids,
                               const std::vector<ByteMerges::Pair>& merges, int unknown,
                               const std::string& name) {
  for (const auto& [token, id] : ids) {
    if (std::size_t(id) >= bytes_.size()) bytes_.resize(std::size_t(id) + 1);
    bytes_[std::size_t(id)] = ByteMerges::bytes(token);
  }
  merges_ = std::make_shared<const ByteMerges>(std::move(ids), merges, unknown, name);
}

void PublishedTokenizer::add(const JsonObject& token, int id) {
  if (id >= most_tokens) token.fail("id", std::to_string(id) + " is too large");
  if (token.flag("single_word", false)) token.fail("single_word", "true is not known");
  const Added added{.text = token.text("content"),
                    .id = id,
                    .takes_left = token.flag("lstrip", false),
                    .takes_right = token.flag("rstrip", false),
                    .special = token.flag("special", false),
                    .composed = token.flag("normalized", true)};
  if (added.text.empty()) return;
  if (std::size_t(id) >= bytes_.size()) bytes_.resize(std::size_t(id) + 1);
  bytes_[std::size_t(id)] = added.special ? "" : added.text;
  added_.push_back(added);
}

void PublishedTokenizer::read_whole(const JsonObject& file) {
  const JsonObject model = file.object("model");
  if (const std::string type = model.text("type", "BPE"); type != "BPE")
    model.fail("type", "BPE is wanted, not " + shortened(type));
  if (model.flag("byte_fallback", false))
    model.fail("byte_fallback", "true is not known: bytes as characters are wanted");
  for (const char* key : {"continuing_subword_prefix", "end_of_word_suffix"})
    if (!model.text(key, "").empty()) model.fail(key, "\"\" is wanted");
  whole_first_ = model.flag("ignore_merges", false);
  auto ids = token_ids(model.object("vocab"));
  std::vector<ByteMerges::Pair> merges;
  for (const Json& entry : list_of(model, "merges"))
    merges.push_back(merge_of(model, entry, merges.size() + 1));
  int unknown = -1;
  if (const std::string token = model.text("unk_token", ""); !token.empty()) {
    if (!ids.contains(token)) model.fail("unk_token", shortened(token) + " is no token");
    unknown = ids[token];
  }
  learn(std::move(ids), merges, unknown, file.path());
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
  const JsonObject vocabulary = JsonObject::read(directory + "/vocab.json", JsonObject::tables);
  const std::string path = directory + "/merges.txt";
  const std::string content = read_file(path);
  check_utf8(content, path);
  std::vector<ByteMerges::Pair> merges;
  std::istringstream lines(content);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.empty() || (number == 1 && line.starts_with("#version"))) continue;
    const std::size_t blank = line.find(' ');
    if (blank == 0 || blank == line.npos || blank + 1 == line.size() ||
        line.find(' ', blank + 1) != line.npos)
      throw UserError(path + ": line " + std::to_string(number) + " is no pair of tokens");
    merges.emplace_back(line.substr(0, blank), line.substr(blank + 1));
  }
  auto ids = token_ids(vocabulary);
  const auto end = ids.find("<|endoftext|>");
  const int end_id = end == ids.end() ? -1 : end->second;
  learn(std::move(ids), merges, -1, path);
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
  if (!told && end_id >= 0) {
    added_.push_back({"<|endoftext|>", end_id, false, false, true, false});
    bytes_[std::size_t(end_id)] = "";
  }
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

const std::string& PublishedTokenizer::bytes(int id) const {
  static const std::string none;
  return id >= 0 && id < size() ? bytes_[static_cast<std::size_t>(id)] : none;
}

std::string PublishedTokenizer::decode(const std::vector<int>& ids) const {
  std::string text;
  for (const int id : ids) text += bytes(id);
  return text;
}

}  // namespace xf
