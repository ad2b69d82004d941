#pragma once

#include <algorithm>
#include <concepts>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace xf {

// The language in which lessons speak. The English sentence stays in the code and is the key of its
// translation, as gettext has it; the catalogues are chapters/*/zh.po and common/*.zh.po, which the
// build puts into the programs. What varies is an argument, with its place in the sentence:
//
//   say("After {} steps the loss is {}.", n, fixed(loss));
//
//   msgid "After {} steps the loss is {}."
//   msgstr "{} 步之后，损失为 {}。"            in another order: {1} … {0}
//
// Words are literals. A std::string is data, such as what a model writes: it is in no catalogue.
//
//   say("It writes: {}", sentence);              msgid "It writes: {}"

enum class Language { en, zh };

// That of $LC_ALL, $LC_MESSAGES or $LANG, the first that is set: Chinese where it begins with "zh".
Language language_of_environment();
void set_language(Language language);

// `text` in the language of the run. What has no entry stays English; with XF_KEYS set to the name
// of a file, each key that is looked up is written there as a line, for the test that looks for
// gaps and for entries that nothing asks for (tests/language_test.py).
std::string translated(const std::string& text);

class Phrase;

// A literal, in the language of the run. A constant of namespace scope is a const char* instead: it
// is made before the language is chosen.
class Words {
 public:
  Words(const char* english) : key_(english), english_(english), text_(translated(english)) {}

  const std::string& str() const { return text_; }
  operator const std::string&() const { return text_; }
  operator std::string_view() const { return text_; }
  const std::string& english() const { return english_; }
  const std::string& key() const { return key_; }  // with the places of its arguments
  bool empty() const { return text_.empty(); }

 protected:
  Words(std::string key, std::string english, std::string text)
      : key_(std::move(key)), english_(std::move(english)), text_(std::move(text)) {}

 private:
  friend class Phrase;
  friend Words filled(const char*, std::initializer_list<Phrase>);
  std::string key_, english_, text_;
};

// Words or data: a cell of a table, a title, an argument of words(), a part of a message.
class Phrase : public Words {
 public:
  Phrase() : Words({}, {}, {}) {}
  Phrase(const char* english) : Words(english) {}
  Phrase(Words words) : Words(std::move(words)) {}
  Phrase(const std::string& data) : Words(data, data, data) {}
  Phrase(std::string_view data) : Phrase(std::string(data)) {}
  Phrase(std::integral auto number) : Phrase(std::to_string(number)) {}
  Phrase(std::floating_point auto) = delete;  // with how many digits? fixed() and small() say it
};

// How many arguments `format` has places for: {}, or {0}, {1} …; {{ and }} are braces. Throws
// std::invalid_argument for a brace alone, and for places of both kinds.
constexpr int places_in(std::string_view format) {
  int next = 0, last = 0;
  for (std::size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '{' && format[i] != '}') continue;
    const char after = i + 1 < format.size() ? format[i + 1] : ' ';
    if (after == format[i]) {
      ++i;
    } else if (format[i] == '{' && after == '}') {
      ++next, ++i;
    } else if (format.substr(i).size() > 2 && format[i] == '{' && format[i + 2] == '}' &&
               after >= '0' && after <= '9') {
      last = std::max(last, after - '0' + 1), i += 2;
    } else {
      throw std::invalid_argument("a brace alone; {{ is one that is printed");
    }
  }
  if (next > 0 && last > 0) throw std::invalid_argument("either {} or {0}, {1} …");
  return std::max(next, last);
}

// A literal with as many places as there are arguments: anything else does not compile.
template <class... Arguments>
struct Format {
  consteval Format(const char* literal) : text(literal) {
    if (places_in(literal) != sizeof...(Arguments)) throw std::invalid_argument("its places");
  }
  const char* text;
};

// The translation of `format` with the arguments in their places.
Words filled(const char* format, std::initializer_list<Phrase> arguments);

template <class... Arguments>
Words words(std::type_identity_t<Format<Arguments...>> format, const Arguments&... arguments) {
  return filled(format.text, {Phrase(arguments)...});
}
// Without arguments, braces are braces.
inline Words words(const char* text) { return text; }

// Adds the entries of a catalogue in the form of gettext's .po files: msgid and msgstr, each one or
// more quoted lines; comments begin with #. An empty msgstr leaves the English text as it is.
// Throws std::invalid_argument naming the line that is none of these, or says an entry a second
// time, unless the new ones are to replace those that are there.
enum class Entries { all_new, may_replace };
void add_catalogue(std::string_view po, Entries entries = Entries::all_new);

}  // namespace xf
