#include "text/text_steps.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>

#include "io/json_object.hpp"
#include "io/printable.hpp"
#include "io/utf8.hpp"
#include "tensor/error.hpp"
#include "text/unicode.hpp"

namespace xf {

namespace {

constexpr std::size_t max_steps = 64;  // each one is a nested call
constexpr std::size_t longest_expression = 1 << 14;
constexpr std::size_t max_bytes = std::size_t{1} << 28;

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;  // clang 14 does not deduce this by itself

// The blocks of Chinese characters that BERT's tokenizer separates.
constexpr CharacterRange bert_chinese[] = {
    {0x4E00, 0x9FFF},   {0x3400, 0x4DBF},   {0x20000, 0x2A6DF}, {0x2A700, 0x2B73F},
    {0x2B740, 0x2B81F}, {0x2B920, 0x2CEAF}, {0xF900, 0xFAFF},   {0x2F800, 0x2FA1F}};

// The pattern in a part of a tokenizer.json: {"String": "a"} or {"Regex": "a+"}.
TextPattern read_pattern(const JsonObject& part) {
  const JsonObject pattern = part.object("pattern");
  if (pattern.has("String")) return TextPattern::literal(pattern.text("String"));
  const std::string expression = pattern.text("Regex");
  if (expression.size() > longest_expression)
    pattern.fail("Regex", words("it has more than {} bytes", longest_expression));
  try {
    return TextPattern::expression(expression);
  } catch (const std::invalid_argument& wrong) {
    pattern.fail("Regex", words("{}: {}", shortened(expression), std::string(wrong.what())));
  }
}

}  // namespace

std::vector<JsonObject> objects_of(const JsonObject& object, const std::string& key) {
  const nlohmann::json* list = object.find(key);
  if (!list || !list->is_array()) object.fail(key, "expected a list [...]");
  std::vector<JsonObject> all;
  for (std::size_t i = 0; i < list->size(); ++i) all.push_back(object.element(key, i));
  return all;
}

std::string Replace::operator()(std::string_view text) const {
  std::string result;
  for (const TextPattern::Part& part : pattern.parts(text)) {
    result += part.match ? std::string_view(content) : part.text;
    if (result.size() > max_bytes)
      throw UserError("Replace: a text becomes longer than {} bytes", max_bytes);
  }
  return result;
}

void Normalizer::add_composition() { steps_.emplace_back(std::in_place_type<Compose>); }

void Normalizer::add_space_mark(bool first) {
  if (first) steps_.push_back(Prepend{"▁"});
  steps_.push_back(Replace{TextPattern::literal(" "), "▁"});
}

void Normalizer::read(const JsonObject& part) {
  const std::string type = part.text("type");
  if (type == "Sequence") {
    for (const JsonObject& inner : objects_of(part, "normalizers")) read(inner);
  } else if (type == "NFC") {
    add_composition();
  } else if (type == "Prepend") {
    steps_.push_back(Prepend{part.text("prepend")});
  } else if (type == "Replace") {
    steps_.push_back(Replace{read_pattern(part), part.text("content")});
  } else if (type == "BertNormalizer") {
    const bool lowers = part.flag("lowercase", true);
    steps_.push_back(Bert{part.flag("clean_text", true), part.flag("handle_chinese_chars", true),
                          part.flag("strip_accents", lowers), lowers});
  } else {
    part.fail("type", words("expected NFC, Prepend, Replace, BertNormalizer or Sequence, not {}",
                            shortened(type)));
  }
}

std::string Normalizer::Bert::operator()(std::string_view text) const {
  std::string result;
  for_each_character(text, [&](char32_t c, std::string_view bytes) {
    const bool kept = c == '\t' || c == '\n' || c == '\r';
    if (cleans && !kept && (c == 0xFFFD || is_unseen(c))) return;
    if (cleans && class_of(c) == CharacterClass::space)
      result += ' ';
    else if (parts_chinese && in_ranges(bert_chinese, c))
      result.append(" ").append(bytes).append(" ");
    else
      result += bytes;
  });
  if (drops_accents) result = without_accents(result);
  return lowers ? lower_each(result) : result;
}

std::string Normalizer::operator()(std::string_view text) const {
  std::string result(text);
  for (const auto& step : steps_)
    std::visit(Overloaded{[&](const Compose&) { result = composed(result); },
                          [&](const Prepend& it) {
                            if (!result.empty()) result.insert(0, it.text);
                          },
                          [&](const Replace& it) { result = it(result); },
                          [&](const Bert& it) { result = it(result); }},
               step);
  return result;
}

PreTokenizer::Behavior PreTokenizer::behavior(const JsonObject& part, const std::string& unsaid) {
  static const std::map<std::string, Behavior> known = {
      {"Isolated", Behavior::isolated},
      {"Removed", Behavior::removed},
      {"MergedWithPrevious", Behavior::with_previous},
      {"MergedWithNext", Behavior::with_next},
      {"Contiguous", Behavior::contiguous}};
  const std::string name = unsaid.empty() ? part.text("behavior") : part.text("behavior", unsaid);
  const auto found = known.find(name);
  if (found == known.end())
    part.fail("behavior", words("expected Isolated, Removed, MergedWithPrevious, MergedWithNext or "
                                "Contiguous, not {}",
                                shortened(name)));
  return found->second;
}

void PreTokenizer::put_space_first(bool space) {
  if (!byte_level_) return;
  std::erase_if(steps_, [](const Step& step) { return std::holds_alternative<Prefix>(step); });
  if (!space) return;
  // ByteLevel's own rule, the last step, comes after the space; Qwen2's comes before it.
  const CutRule* last = steps_.empty() ? nullptr : std::get_if<CutRule>(&steps_.back());
  steps_.insert(steps_.end() - (last && last->kind == CutRule::Kind::gpt2), Prefix{" ", false});
}

void PreTokenizer::add_byte_level(const CutRule& rule, bool space_first) {
  if (space_first) steps_.push_back(Prefix{" ", false});
  if (rule.kind != CutRule::Kind::none) steps_.push_back(rule);
  byte_level_ = true;
}

void PreTokenizer::add_digits() {
  steps_.push_back(Cut{TextPattern::expression(R"(\p{N})"), Behavior::isolated});
}

void PreTokenizer::read_split(const JsonObject& part) {
  Cut cut = {read_pattern(part), behavior(part, ""), part.flag("invert", false)};
  // The known rules match everywhere, so that nothing is left between two matches.
  const CutRule rule = cut_rule(part.object("pattern").text("Regex", ""));
  const bool keeps_matches =
      cut.behavior == Behavior::isolated || (cut.behavior == Behavior::removed && cut.invert);
  if (rule.kind != CutRule::Kind::none && keeps_matches)
    steps_.push_back(rule);
  else
    steps_.push_back(std::move(cut));
}

void PreTokenizer::read_metaspace(const JsonObject& part) {
  const std::string mark = part.text("replacement");
  // Older files have only the flag.
  const bool flag = part.flag("add_prefix_space", true);
  const std::string key = "prepend_scheme", scheme = part.text(key, flag ? "always" : "never");
  if (scheme != "always" && scheme != "first" && scheme != "never")
    part.fail(key, words("expected always, first or never, not {}", shortened(scheme)));
  steps_.push_back(Replace{TextPattern::literal(" "), mark});
  if (scheme != "never") steps_.push_back(Prefix{mark, scheme == "first"});
  if (part.flag("split", true))
    steps_.push_back(Cut{TextPattern::literal(mark), Behavior::with_next});
}

void PreTokenizer::read(const JsonObject& part) {
  const std::string type = part.text("type");
  if (steps_.size() > max_steps) part.fail("type", "too many steps");
  if (type == "Sequence") {
    for (const JsonObject& inner : objects_of(part, "pretokenizers")) read(inner);
    return;
  }
  if (byte_level_)
    part.fail("type", words("{} after ByteLevel, which must be the last", shortened(type)));
  const auto cut = [&](const char* expression, Behavior how, bool invert = false) {
    steps_.push_back(Cut{TextPattern::expression(expression), how, invert});
  };
  constexpr const char* punctuation = R"([!-/:-@\[-`{-~\p{P}])";
  // \w of `tokenizers`; Oniguruma's has other numbers (², ½), and lacks the zero-width joiners.
  constexpr const char* words_and_signs =
      R"([\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}]+|)"
      R"([^\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}\s]+)";
  if (type == "ByteLevel") {
    using Kind = CutRule::Kind;
    add_byte_level({part.flag("use_regex", true) ? Kind::gpt2 : Kind::none},
                   part.flag("add_prefix_space", true));
  } else if (type == "Split") {
    read_split(part);
  } else if (type == "Digits") {
    if (part.flag("individual_digits", false)) return add_digits();
    cut(R"(\p{N})", Behavior::contiguous);
  } else if (type == "Punctuation") {
    cut(punctuation, behavior(part, "Isolated"));
  } else if (type == "Whitespace") {
    cut(words_and_signs, Behavior::removed, true);
  } else if (type == "WhitespaceSplit") {
    cut(R"(\s)", Behavior::removed);
  } else if (type == "CharDelimiterSplit") {
    steps_.push_back(Cut{TextPattern::literal(part.text("delimiter")), Behavior::removed});
  } else if (type == "BertPreTokenizer") {
    cut(R"(\s)", Behavior::removed);
    cut(punctuation, Behavior::isolated);
  } else if (type == "Metaspace") {
    read_metaspace(part);
  } else {
    part.fail("type",
              words("expected ByteLevel, Split, Digits, Punctuation, Whitespace, WhitespaceSplit, "
                    "CharDelimiterSplit, BertPreTokenizer, Metaspace or Sequence, not {}",
                    shortened(type)));
  }
}

std::vector<std::string_view> PreTokenizer::pieces(const Cut& cut, std::string_view text) {
  std::vector<TextPattern::Part> parts = cut.pattern.parts(text);
  const bool backwards = cut.behavior == Behavior::with_next;
  if (backwards) std::reverse(parts.begin(), parts.end());
  std::vector<std::string_view> all;
  bool before = false;  // whether the last part was a match
  for (const TextPattern::Part& part : parts) {
    const bool match = part.match != cut.invert;
    const bool joins = cut.behavior == Behavior::contiguous                   ? match == before
                       : cut.behavior == Behavior::with_previous || backwards ? match && !before
                                                                              : false;
    before = match;
    if (match && cut.behavior == Behavior::removed) continue;
    if (!joins || all.empty()) {
      all.push_back(part.text);
      continue;
    }
    std::string_view& last = all.back();  // the two are neighbours in the text
    last = {backwards ? part.text.data() : last.data(), last.size() + part.text.size()};
  }
  if (backwards) std::reverse(all.begin(), all.end());
  return all;
}

void PreTokenizer::operator()(std::string_view text, bool first, const Take& take) const {
  // An upper bound, even if every character is a piece and a prefix doubles it.
  Run all{take, 8 * (steps_.size() + 1) * (text.size() + 16)};
  run(0, text, first, all);
}

void PreTokenizer::run(std::size_t step, std::string_view text, bool first, Run& all) const {
  if (text.empty()) return;
  if (all.left-- == 0) throw UserError("pre_tokenizer: a text is split into too many pieces");
  if (step == steps_.size()) return all.take(text);
  const auto each = [&](const std::vector<std::string_view>& parts) {
    for (const std::string_view piece : parts)
      run(step + 1, piece, first && piece.data() == text.data(), all);
  };
  std::visit(Overloaded{[&](const Prefix& it) {
                          if (text.starts_with(it.text) || (it.first_only && !first))
                            return run(step + 1, text, first, all);
                          run(step + 1, it.text + std::string(text), first, all);
                        },
                        [&](const Replace& it) { run(step + 1, it(text), first, all); },
                        [&](const Cut& it) { each(pieces(it, text)); },
                        [&](const CutRule& it) { each(cut(text, it)); }},
             steps_[step]);
}

}  // namespace xf
