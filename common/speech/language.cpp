#include "speech/language.hpp"

#include <cstdlib>
#include <fstream>
#include <map>
#include <optional>
#include <stdexcept>
#include <vector>

#include "io/utf8.hpp"

namespace xf {
namespace {

Language current = Language::en;

std::map<std::string, std::string, std::less<>>& catalogue() {
  static std::map<std::string, std::string, std::less<>> entries;
  return entries;
}

// `format` with the arguments in their places; they are not looked at again.
std::string with_arguments(std::string_view format, const std::vector<std::string>& arguments) {
  std::string text;
  std::size_t next = 0;
  for (std::size_t i = 0; i < format.size(); ++i) {
    const bool is_brace = format[i] == '{' || format[i] == '}';
    if (!is_brace || format[i + 1] == format[i]) {
      i += is_brace;
      text += format[i];
      continue;
    }
    const bool is_numbered = format[i + 1] != '}';
    text += arguments.at(is_numbered ? std::size_t(format[i + 1] - '0') : next++);
    i += is_numbered ? 2 : 1;
  }
  return text;
}

void note_lookup(const std::string& key) {
  static const char* const name = std::getenv("XF_KEYS");
  if (!name || !*name) return;
  static std::ofstream file(name);
  file << replaced(key, "\n", "\\n") << std::endl;
}

using Parts = std::map<char, std::string_view>;

// What the {a}, {b} … of `pattern` stand for where `text` says it. Only between quotes may they
// hold ": ", where messages are cut.
std::optional<Parts> parts_of(std::string_view pattern, std::string_view text) {
  for (Parts parts;;) {
    const std::size_t open = pattern.find('{');
    const std::string_view literal = pattern.substr(0, open);
    if (!text.starts_with(literal)) return std::nullopt;
    text.remove_prefix(literal.size());
    if (open == pattern.npos) return text.empty() ? std::optional(parts) : std::nullopt;
    const char name = pattern[open + 1];
    pattern.remove_prefix(open + 3);
    const std::string_view next = pattern.substr(0, pattern.find('{'));
    std::size_t end = text.find(next, 1);
    if (next.size() == pattern.size())
      end = text.ends_with(next) ? text.size() - next.size() : text.npos;
    if (end == 0 || end == text.npos) return std::nullopt;
    const bool in_quotes = literal.ends_with('\'') || literal.ends_with('"');
    if (!in_quotes && text.substr(0, end).find(": ") != text.npos) return std::nullopt;
    parts[name] = text.substr(0, end);
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
    const std::optional<Parts> parts = parts_of(pattern, part);
    if (!parts || pattern.size() - 3 * parts->size() <= most) continue;
    most = pattern.size() - 3 * parts->size();
    best.clear();
    for (std::size_t i = 0; i < entry->second.size(); ++i) {
      const auto found = entry->second[i] == '{' ? parts->find(entry->second[i + 1]) : parts->end();
      if (found == parts->end()) {
        best += entry->second[i];
        continue;
      }
      best += translated_part(std::string(found->second));
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

std::string translated(const std::string& text) {
  note_lookup(text);
  if (current == Language::en) return text;
  const auto entry = catalogue().find(text);
  return entry == catalogue().end() || entry->second.empty() ? text : entry->second;
}

Words filled(const char* format, std::initializer_list<Phrase> arguments) {
  const std::string translation = translated(format);
  if (places_in(translation) > static_cast<int>(arguments.size()))
    throw std::invalid_argument("catalogue: \"" + translation + "\" has more places than \"" +
                                format + '"');
  std::vector<std::string> texts;
  for (const Phrase& argument : arguments) texts.push_back(argument);
  return {format, with_arguments(translation, texts)};
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
