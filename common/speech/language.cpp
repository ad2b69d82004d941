#include "speech/language.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <map>
#include <optional>
#include <stdexcept>
#include <vector>

namespace xf {
namespace {

Language current = Language::en;

std::map<std::string, std::string, std::less<>>& catalogue() {
  static std::map<std::string, std::string, std::less<>> entries;
  return entries;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Part of a name, such as x1 or d_k: its digits are no numbers. So is a byte beyond ASCII.
bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || (c & 0x80);
}

// The end of the number at `i`, or `i` where there is none: 12, 0.5, 1.2e-07, -3, 1,024.
std::size_t end_of_number(std::string_view text, std::size_t i) {
  const bool starts_word = i == 0 || !is_word(text[i - 1]);
  std::size_t at = i;
  if (text[at] == '-' && (i == 0 || text[i - 1] == ' ' || text[i - 1] == '(')) ++at;
  if (!starts_word || at >= text.size() || !is_digit(text[at])) return i;
  const auto digits = [&] {
    while (at < text.size() && is_digit(text[at])) ++at;
  };
  const auto digit_at = [&](std::size_t place) {
    return place < text.size() && is_digit(text[place]);
  };
  digits();
  while (at < text.size() && (text[at] == '.' || text[at] == ',') && digit_at(at + 1)) {
    ++at;
    digits();
  }
  if (at + 1 < text.size() && text[at] == 'e' && (text[at + 1] == '-' || text[at + 1] == '+') &&
      digit_at(at + 2)) {
    at += 2;
    digits();
  }
  return at;
}

// Stand around what verbatim() marks.
constexpr char data_begins = '\x02', data_ends = '\x03';

struct Taken {
  std::string key;
  std::vector<std::string> values;  // numbers, and what verbatim() marked
};

Taken without_values(std::string_view text) {
  Taken taken;
  for (std::size_t i = 0; i < text.size();) {
    const bool is_data = text[i] == data_begins;
    const std::size_t end = is_data ? text.find(data_ends, i) : end_of_number(text, i);
    if (end == i) {
      taken.key += text[i++];
      continue;
    }
    i += is_data;
    taken.values.emplace_back(text.substr(i, end - i));
    taken.key += '{' + std::to_string(taken.values.size()) + '}';
    i = end + is_data;
  }
  return taken;
}

// `text` with each {1}, {2} … replaced; what they stand for is not looked at again.
std::string with_values(std::string_view text, const std::vector<std::string>& values) {
  std::string filled;
  while (!text.empty()) {
    std::size_t n = 0, at = 1;
    if (text[0] == '{')
      while (at < text.size() && is_digit(text[at]) && n <= values.size())
        n = 10 * n + std::size_t(text[at++] - '0');
    const bool is_place = n > 0 && n <= values.size() && at < text.size() && text[at] == '}';
    if (is_place)
      filled += values[n - 1];
    else
      filled += text[0];
    text.remove_prefix(is_place ? at + 1 : 1);
  }
  return filled;
}

std::string without_marks(std::string text) {
  std::erase_if(text, [](char c) { return c == data_begins || c == data_ends; });
  return text;
}

void note_lookup(const std::string& key) {
  static const char* const name = std::getenv("XF_KEYS");
  if (!name || !*name) return;
  static std::ofstream file(name);
  std::string line;
  for (const char c : key) line += c == '\n' ? std::string("\\n") : std::string(1, c);
  file << line << std::endl;
}

using Words = std::map<char, std::string_view>;

// What the {a}, {b} … of `pattern` stand for where `text` says it. Only between quotes may they
// hold
// ": ", where messages are cut.
std::optional<Words> words_of(std::string_view pattern, std::string_view text) {
  for (Words words;;) {
    const std::size_t open = pattern.find('{');
    const std::string_view literal = pattern.substr(0, open);
    if (!text.starts_with(literal)) return std::nullopt;
    text.remove_prefix(literal.size());
    if (open == pattern.npos) return text.empty() ? std::optional(words) : std::nullopt;
    const char name = pattern[open + 1];
    pattern.remove_prefix(open + 3);
    const std::string_view next = pattern.substr(0, pattern.find('{'));
    std::size_t end = text.find(next, 1);
    if (next.size() == pattern.size())
      end = text.ends_with(next) ? text.size() - next.size() : text.npos;
    if (end == 0 || end == text.npos) return std::nullopt;
    const bool in_quotes = literal.ends_with('\'') || literal.ends_with('"');
    if (!in_quotes && text.substr(0, end).find(": ") != text.npos) return std::nullopt;
    words[name] = text.substr(0, end);
    text.remove_prefix(end);
  }
}

// A message, or a part of it, by the entry that says most of it; itself where there is none.
std::string translated_part(const std::string& part) {
  static const std::string mark = "error: ";
  std::size_t most = 0;
  std::string best = part;
  for (auto entry = catalogue().upper_bound(mark);
       entry != catalogue().end() && entry->first.starts_with(mark); ++entry) {
    const std::string_view pattern = std::string_view(entry->first).substr(mark.size());
    const std::optional<Words> words = words_of(pattern, part);
    if (!words || pattern.size() - 3 * words->size() <= most) continue;
    most = pattern.size() - 3 * words->size();
    best.clear();
    for (std::size_t i = 0; i < entry->second.size(); ++i) {
      const auto word = entry->second[i] == '{' ? words->find(entry->second[i + 1]) : words->end();
      if (word == words->end()) {
        best += entry->second[i];
        continue;
      }
      best += translated_part(std::string(word->second));
      i += 2;
    }
  }
  return best;
}

// What stands between the quotes of `line`, its escapes resolved.
std::string quoted(std::string_view line, int number) {
  const auto fail = [&] {
    throw std::invalid_argument("catalogue, line " + std::to_string(number) +
                                ": a text in quotes is wanted");
  };
  if (line.size() < 2 || line.front() != '"' || line.back() != '"') fail();
  std::string text;
  for (std::size_t i = 1; i + 1 < line.size(); ++i) {
    if (line[i] != '\\') {
      text += line[i];
      continue;
    }
    if (++i + 1 >= line.size()) fail();
    text += line[i] == 'n' ? '\n' : line[i];
  }
  return text;
}

}  // namespace

Language language_of_environment() {
  for (const char* name : {"LC_ALL", "LC_MESSAGES", "LANG"})
    if (const char* value = std::getenv(name); value && *value)
      return std::string_view(value).starts_with("zh") ? Language::zh : Language::en;
  return Language::en;
}

void set_language(Language language) { current = language; }

std::string verbatim(const std::string& data) {
  return data_begins + without_marks(data) + data_ends;
}

std::string catalogue_key(const std::string& text) { return without_values(text).key; }

std::string translated(const std::string& text) {
  const Taken taken = without_values(text);
  note_lookup(taken.key);
  if (current == Language::en) return without_marks(text);
  const auto entry = catalogue().find(taken.key);
  if (entry == catalogue().end() || entry->second.empty()) return without_marks(text);
  return with_values(entry->second, taken.values);
}

std::string translated_message(const std::string& message) {
  if (current == Language::en) return message;
  const std::string whole = translated_part(message);
  const std::size_t colon = message.find(": ");
  if (whole != message || colon == message.npos) return whole;
  return translated_part(message.substr(0, colon)) + "：" +
         translated_message(message.substr(colon + 2));
}

void add_catalogue(std::string_view po) {
  std::string id, text;
  std::string* open = nullptr;  // the one that further quoted lines go on
  const auto keep = [&](int number) {
    if (open == &text && !id.empty() && !catalogue().emplace(id, text).second)
      throw std::invalid_argument("catalogue, line " + std::to_string(number) +
                                  ": a second entry for \"" + id + '"');
    id.clear();
    text.clear();
  };
  int number = 0;
  while (!po.empty()) {
    const std::size_t end = po.find('\n');
    std::string_view line = po.substr(0, end);
    po.remove_prefix(end == po.npos ? po.size() : end + 1);
    ++number;
    if (line.empty() || line.front() == '#') continue;
    if (line.starts_with("msgid ")) {
      keep(number);
      open = &id;
      line.remove_prefix(6);
    } else if (line.starts_with("msgstr ")) {
      open = &text;
      line.remove_prefix(7);
    } else if (!open) {
      throw std::invalid_argument("catalogue, line " + std::to_string(number) +
                                  ": it begins with neither msgid nor msgstr");
    }
    *open += quoted(line, number);
  }
  keep(number);
}

}  // namespace xf
