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

// The language of the lessons' output. As in gettext, the English sentence stays in the code and is
// the key of its translation; the catalogues are chapters/*/zh.po and common/*.zh.po, which the
// build embeds in the programs. Variable parts are arguments, with placeholders in the sentence:
//
//   say("After {} steps the loss is {}.", n, fixed(loss));
//
//   msgid "After {} steps the loss is {}."
//   msgstr "{} 步之后，损失为 {}。"            in another order: {1} … {0}
//
// Words are literals. A std::string is data, such as a model's output, and is in no catalogue.
//
//   say("It writes: {}", sentence);              msgid "It writes: {}"

enum class Language { en, zh };

// The language of $LC_ALL, $LC_MESSAGES or $LANG, the first that is set: Chinese if it begins "zh".
Language language_of_environment();
void set_language(Language language);

// `text` in the language of the run. Text without an entry stays English. If XF_KEYS names a file,
// each key that is looked up is written to it as a line, for the test that finds missing and unused
// entries (tests/language_test.py).
std::string translated(const std::string& text);

class Phrase;

// A literal, in the language of the run. A constant at namespace scope must be a const char*
// instead, because it is initialised before the language is chosen.
class Words {
 public:
  Words(const char* english) : key_(english), english_(english), text_(translated(english)) {}

  const std::string& str() const { return text_; }
  operator const std::string&() const { return text_; }
  operator std::string_view() const { return text_; }
  const std::string& english() const { return english_; }
  const std::string& key() const { return key_; }  // with its placeholders
  bool empty() const { return text_.empty(); }

 protected:
  Words(std::string key, std::string english, std::string text)
      : key_(std::move(key)), english_(std::move(english)), text_(std::move(text)) {}

 private:
  friend class Phrase;
  friend Words filled(const char*, std::initializer_list<Phrase>);
  std::string key_, english_, text_;
};

// Words or data: a table cell, a title, an argument of words(), a part of a message.
class Phrase : public Words {
 public:
  Phrase() : Words({}, {}, {}) {}
  Phrase(const char* english) : Words(english) {}
  Phrase(Words words) : Words(std::move(words)) {}
  Phrase(const std::string& data) : Words(data, data, data) {}
  Phrase(std::string_view data) : Phrase(std::string(data)) {}
  Phrase(std::integral auto number) : Phrase(std::to_string(number)) {}
  Phrase(std::floating_point auto) = delete;  // fixed() and small() set the number of digits
};

// The number of arguments `format` has placeholders for: {}, or {0}, {1} …; {{ and }} are literal
// braces. Throws std::invalid_argument for a lone brace, and for both kinds together.
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

// A literal with as many placeholders as there are arguments: anything else does not compile.
template <class... Arguments>
struct Format {
  consteval Format(const char* literal) : text(literal) {
    if (places_in(literal) != sizeof...(Arguments)) throw std::invalid_argument("its places");
  }
  const char* text;
};

// The translation of `format` with the arguments filled in.
Words filled(const char* format, std::initializer_list<Phrase> arguments);

template <class... Arguments>
Words words(std::type_identity_t<Format<Arguments...>> format, const Arguments&... arguments) {
  return filled(format.text, {Phrase(arguments)...});
}
// Without arguments, braces are literal.
inline Words words(const char* text) { return text; }

// Adds the entries of a catalogue in the format of gettext's .po files: msgid and msgstr, each one
// or more quoted lines; comments begin with #. An empty msgstr leaves the English text unchanged.
// Throws std::invalid_argument naming the line that is none of these, or that repeats an entry,
// unless new entries may replace existing ones.
enum class Entries { all_new, may_replace };
void add_catalogue(std::string_view po, Entries entries = Entries::all_new);

}  // namespace xf
