#include "language/language.hpp"

#include <cstdlib>
#include <fstream>
#include <map>
#include <mutex>
#include <stdexcept>

namespace xf {
namespace {

Language current = Language::en;

std::map<std::string, std::string, std::less<>>& catalogue() {
  static std::map<std::string, std::string, std::less<>> entries;
  return entries;
}

// `format` with its arguments filled in; placeholders inside the arguments are not expanded.
std::string with_arguments(std::string_view format, std::initializer_list<Phrase> arguments,
                           const std::string& (Words::*text_of)() const) {
  std::string text;
  std::ptrdiff_t next = 0;
  for (std::size_t i = 0; i < format.size(); ++i) {
    const bool is_brace = format[i] == '{' || format[i] == '}';
    if (!is_brace || format[i + 1] == format[i]) {
      i += is_brace;
      text += format[i];
      continue;
    }
    const bool is_numbered = format[i + 1] != '}';
    text += (arguments.begin()[is_numbered ? format[i + 1] - '0' : next++].*text_of)();
    i += is_numbered ? 2 : 1;
  }
  return text;
}

void note_lookup(const std::string& key) {
  static const char* const name = std::getenv("XF_KEYS");
  if (!name || !*name) return;
  static std::ofstream file(name);
  static std::mutex one_at_a_time;  // lesson 12 prints from several threads
  const std::lock_guard lock(one_at_a_time);
  for (const char letter : key) letter == '\n' ? file << "\\n" : file << letter;
  file << std::endl;
}

[[noreturn]] void fail_in_line(int number, const std::string& problem) {
  throw std::invalid_argument("catalogue, line " + std::to_string(number) + ": " + problem);
}

// The text between the quotes of `line`, with escapes resolved.
std::string quoted(std::string_view line, int number) {
  const char* const wanted = "expected a text in quotes";
  if (line.size() < 2 || line.front() != '"' || line.back() != '"') fail_in_line(number, wanted);
  std::string text;
  for (std::size_t i = 1; i + 1 < line.size(); ++i) {
    if (line[i] != '\\') {
      text += line[i];
      continue;
    }
    if (++i + 1 >= line.size()) fail_in_line(number, wanted);
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
  return {format, with_arguments(format, arguments, &Words::english),
          with_arguments(translation, arguments, &Words::str)};
}

void add_catalogue(std::string_view po, Entries entries) {
  std::string id, text;
  // The field (msgid or msgstr) that continuation lines are appended to; null before the first.
  std::string* open = nullptr;
  const auto keep = [&](int number) {
    if (open == &text && !id.empty() && !catalogue().insert_or_assign(id, text).second &&
        entries == Entries::all_new)
      fail_in_line(number, "a second entry for \"" + id + '"');
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
      fail_in_line(number, "it begins with neither msgid nor msgstr");
    }
    *open += quoted(line, number);
  }
  keep(number);
}

}  // namespace xf
