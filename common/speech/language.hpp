#pragma once

#include <string>
#include <string_view>

namespace xf {

// The language in which lessons speak. The English sentence stays in the code and is the key of its
// translation, as gettext has it; the catalogues are chapters/*/zh.po and common/zh.po, which the
// build puts into the programs. Numbers are left out of the key:
//
//   say("After " + std::to_string(n) + " steps the loss is " + fixed(loss) + ".");
//
//   msgid "After {1} steps the loss is {2}."
//   msgstr "{1} 步之后，损失为 {2}。"
//
// So is what verbatim() marks: words that the program does not choose, such as what a model writes.
//
//   say("It writes: " + verbatim(sentence));            msgid "It writes: {1}"

enum class Language { en, zh };

// That of $LC_ALL, $LC_MESSAGES or $LANG, the first that is set: Chinese where it begins with "zh".
Language language_of_environment();
void set_language(Language language);

// `text` in the language of the run. What has no entry stays English; with XF_KEYS set to the name
// of a file, each key that is looked up is written there as a line, for the test that looks for
// gaps and for entries that nothing asks for (tests/language_test.py).
std::string translated(const std::string& text);

// `data` as a part of a text that is looked up: no part of the key, and printed as it is.
std::string verbatim(const std::string& data);

// An error's message in the language of the run. In its entry, whose msgid begins with "error: ",
// {a}, {b} … stand for any words, which are looked up the same way:
//
//   msgid "error: unknown flag {a}; did you mean {b}?"
//
// What stands before ": " is looked up by itself, or is a name, and stays.
std::string translated_message(const std::string& message);

// Adds the entries of a catalogue in the form of gettext's .po files: msgid and msgstr, each one or
// more quoted lines; comments begin with #. An empty msgstr leaves the English text as it is.
// Throws std::invalid_argument naming the line that is none of these, or says an entry a second
// time.
void add_catalogue(std::string_view po);

// The key of a text, with {1}, {2} … in place of its numbers and of what is verbatim().
std::string catalogue_key(const std::string& text);

}  // namespace xf
