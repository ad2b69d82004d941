#include "speech/language.hpp"

#include <doctest/doctest.h>

#include <stdexcept>

using namespace xf;

namespace {

struct In {
  explicit In(Language language) { set_language(language); }
  ~In() { set_language(Language::en); }
};

}  // namespace

TEST_CASE("catalogue_key: numbers are left out, names with digits stay") {
  CHECK(catalogue_key("After 12 steps the loss is 0.5.") == "After {1} steps the loss is {2}.");
  CHECK(catalogue_key("x1, d_2, 3d: -4 and (-1.2e-07), 1,024") ==
        "x1, d_2, {1}d: {2} and ({3}), {4}");
  CHECK(catalogue_key("post-2 and 7-8") == "post-{1} and {2}-{3}");
  CHECK(catalogue_key("50% of 2e3") == "{1}% of {2}e3");
  CHECK(catalogue_key("") == "");
}

TEST_CASE("translated: the entry with the numbers filled in, in any order") {
  add_catalogue("# a comment\nmsgid \"test: {1} of {2}\"\nmsgstr \"测试：\"\n\"{2} 之 {1}\"\n");
  CHECK(translated("test: 3 of 10") == "test: 3 of 10");
  const In chinese(Language::zh);
  CHECK(translated("test: 3 of 10") == "测试：10 之 3");
  CHECK(translated("test: nothing of it") == "test: nothing of it");
}

TEST_CASE("translated: an empty entry leaves the English, quotes and line ends are kept") {
  add_catalogue(
      "msgid \"test: as it is\"\nmsgstr \"\"\n"
      "msgid \"test: a \\\"word\\\"\\nand {1}\"\nmsgstr \"{1}\\n\\\"词\\\"\"");
  const In chinese(Language::zh);
  CHECK(translated("test: as it is") == "test: as it is");
  CHECK(translated("test: a \"word\"\nand 5") == "5\n\"词\"");
}

TEST_CASE("translated: a number that looks like a place is not filled in again") {
  add_catalogue(
      "msgid \"test: many {1} {2} {3} {4} {5} {6} {7} {8} {9} {10} {11}\"\n"
      "msgstr \"测 {11} {1}\"");
  const In chinese(Language::zh);
  CHECK(translated("test: many 1 2 3 4 5 6 7 8 9 10 11") == "测 11 1");
}

TEST_CASE("verbatim: no part of the key, whatever it holds, and printed as it is") {
  CHECK(catalogue_key("it writes: " + verbatim("a 7 {1}\nb") + ", 2") == "it writes: {1}, {2}");
  CHECK(catalogue_key(verbatim("") + "x1" + verbatim("y")) == "{1}x1{2}");
  add_catalogue("msgid \"test: {1}, then {2}\"\nmsgstr \"测：先 {2} 后 {1}{3}{}\"");
  const std::string said = "test: " + verbatim("{2} words") + ", then " + verbatim("like\x03");
  CHECK(translated(said) == "test: {2} words, then like");
  CHECK(translated("without an entry: " + verbatim("it")) == "without an entry: it");
  const In chinese(Language::zh);
  CHECK(translated(said) == "测：先 like 后 {2} words{3}{}");
  CHECK(translated("without an entry: " + verbatim("it")) == "without an entry: it");
}

TEST_CASE("translated_message: part by part, and words within a part") {
  add_catalogue(
      "msgid \"error: {a} must be {b}, not '{c}'\"\nmsgstr \"{a} 应为{b}，而不是“{c}”\"\n"
      "msgid \"error: a test's number\"\nmsgstr \"数\"\n"
      "msgid \"error: {a} must be {b}\"\nmsgstr \"{a}（{b}）\"\n");
  CHECK(translated_message("x: --k must be 3") == "x: --k must be 3");
  const In chinese(Language::zh);
  CHECK(translated_message("a/b c.txt: --k must be a test's number, not 'x: 1'") ==
        "a/b c.txt：--k 应为数，而不是“x: 1”");  // the entry that says most, and ": " in quotes
  CHECK(translated_message("--k must be 3") == "--k（3）");
  CHECK(translated_message("one: two must be 3") == "one：two（3）");
  CHECK(translated_message(" must be 3") == " must be 3");  // {a} is never empty
  CHECK(translated_message("nothing of it") == "nothing of it");
}

TEST_CASE("add_catalogue: what is no entry is refused, with its line") {
  const auto refusal = [](const char* po) {
    try {
      add_catalogue(po);
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(refusal("\"early\"") == "catalogue, line 1: it begins with neither msgid nor msgstr");
  CHECK(refusal("msgid \"a") == "catalogue, line 1: a text in quotes is wanted");
  CHECK(refusal("msgid \"test: twice\"\nmsgstr \"\"\nmsgid \"test: twice\"\nmsgstr \"\"") ==
        "catalogue, line 4: a second entry for \"test: twice\"");
}
