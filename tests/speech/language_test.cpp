#include "language/language.hpp"
#include "io/config_error.hpp"
#include "support/errors.hpp"

#include <doctest/doctest.h>

#include <stdexcept>

using namespace xf;

namespace {

struct In {
  explicit In(Language language) { set_language(language); }
  ~In() { set_language(Language::en); }
};

}  // namespace

TEST_CASE("words: the translation with the arguments in their places, in any order") {
  add_catalogue("# a comment\nmsgid \"test: {} of {}\"\nmsgstr \"测试：\"\n\"{1} 之 {0}\"\n");
  CHECK(words("test: {} of {}", 3, "10").str() == "test: 3 of 10");
  CHECK(words("test: {1} of {0}", 3, 10).str() == "test: 10 of 3");
  CHECK(words("test: {} of {}", 3, 10).key() == "test: {} of {}");
  const In chinese(Language::zh);
  CHECK(words("test: {} of {}", 3, 10).str() == "测试：10 之 3");
  CHECK(words("test: nothing of it").str() == "test: nothing of it");
  CHECK(words("test: nothing of {}", 7).str() == "test: nothing of 7");
}

TEST_CASE("words: an empty entry leaves the English, quotes and line ends are kept") {
  add_catalogue(
      "msgid \"test: as it is\"\nmsgstr \"\"\n"
      "msgid \"test: a \\\"word\\\"\\nand {}\"\nmsgstr \"{}\\n\\\"词\\\"\"");
  const In chinese(Language::zh);
  CHECK(words("test: as it is").str() == "test: as it is");
  CHECK(words("test: a \"word\"\nand {}", 5).str() == "5\n\"词\"");
}

TEST_CASE("words: braces are braces without arguments, and doubled with them") {
  add_catalogue("msgid \"test: f({1}) {{{}}}\"\nmsgstr \"测：{{{0}}}\"");
  CHECK(words("xt::sum(x, {1})").str() == "xt::sum(x, {1})");
  CHECK(words("x = {{{}}}", 4).str() == "x = {4}");
  CHECK(places_in("") == 0);
  CHECK(places_in("{} {{}} {}") == 2);
  CHECK(places_in("{2} {0}") == 3);
  for (const char* wrong : {"{", "}", "{a}", "{10}", "{", "a { b", "{} {0}"})
    CHECK_THROWS_AS(places_in(wrong), std::invalid_argument);
}

TEST_CASE("words: a literal as an argument is looked up, a string is data and not read again") {
  add_catalogue(
      "msgid \"test: it is {}\"\nmsgstr \"测：它{}\"\n"
      "msgid \"test: late\"\nmsgstr \"晚\"\n"
      "msgid \"test: places\"\nmsgstr \"{} 与 {}\"\n"
      "msgid \"test: one {}\"\nmsgstr \"{0} {1}\"");
  const In chinese(Language::zh);
  CHECK(words("test: it is {}", "test: late").str() == "测：它晚");
  CHECK(words("test: it is {}", words("test: it is {}", 1)).str() == "测：它测：它1");
  CHECK(words("test: it is {}", std::string("test: late")).str() == "测：它test: late");
  CHECK(words("test: it is {}", std::string("{0} {}")).str() == "测：它{0} {}");
  CHECK(words("test: places").str() == "{} 与 {}");
  CHECK_THROWS_WITH_AS(words("test: one {}", 1),
                       "catalogue: \"{0} {1}\" has more places than \"test: one {}\"",
                       std::invalid_argument);
}

TEST_CASE("Phrase: words or data") {
  add_catalogue("msgid \"test: a cell\"\nmsgstr \"一格\"");
  const In chinese(Language::zh);
  CHECK(Phrase("test: a cell").str() == "一格");
  CHECK(Phrase(std::string("test: a cell")).str() == "test: a cell");
  CHECK(Phrase(42).str() == "42");
  CHECK(Phrase(words("test: a cell")).english() == "test: a cell");
}

TEST_CASE("errors: what() is English, the message in the language of the run, part by part") {
  add_catalogue(
      "msgid \"test: {}: {} must be {}, not '{}'\"\nmsgstr \"测：{}：{} 应为{}，而不是“{}”\"\n"
      "msgid \"test: a number\"\nmsgstr \"数\"\n"
      "msgid \"test: {} does not divide {} {}\"\nmsgstr \"{1} {2} 不能被 {0} 整除\"\n"
      "msgid \"{}: {}\"\nmsgstr \"{}：{}\"\n");
  const auto thrown = [](const std::string& path) {
    return UserError("test: {}: {} must be {}, not '{}'", path, "--k", words("test: a number"),
                     std::string("test: a number"));
  };
  const auto in_file = [](const UserError& error) {
    return UserError("{}: {}", "a/b", error.message);
  };
  CHECK(in_file(thrown("x")).message.str() ==
        "a/b: test: x: --k must be test: a number, not 'test: a number'");
  const In chinese(Language::zh);
  const UserError error = in_file(thrown("x: y"));
  CHECK(std::string(error.what()) ==
        "a/b: test: x: y: --k must be test: a number, not 'test: a number'");
  CHECK(message_of(error).str() == "a/b：测：x: y：--k 应为数，而不是“test: a number”");
  CHECK(message_of(std::runtime_error("test: a number")).str() == "test: a number");  // data
  const ConfigError config("heads", "test: {} does not divide {} {}", 3, OtherField{"d_model"}, 8);
  CHECK(std::string(config.what()) == "heads: test: 3 does not divide d_model 8");
  CHECK(config.message.str() == "heads：d_model 8 不能被 3 整除");
  CHECK(config.of_flags.str() == "--heads：--d-model 8 不能被 3 整除");
  CHECK(config.of_flags.english() == "--heads: test: 3 does not divide --d-model 8");
}

TEST_CASE("add_catalogue: what is no entry is refused, with its line") {
  const auto refusal = [](const char* po) { return test::error_of([&] { add_catalogue(po); }); };
  CHECK(refusal("\"early\"") == "catalogue, line 1: it begins with neither msgid nor msgstr");
  CHECK(refusal("msgid \"a") == "catalogue, line 1: expected a text in quotes");
  CHECK(refusal("msgid \"test: twice\"\nmsgstr \"\"\nmsgid \"test: twice\"\nmsgstr \"\"") ==
        "catalogue, line 4: a second entry for \"test: twice\"");
  add_catalogue("msgid \"test: twice\"\nmsgstr \"再\"", Entries::may_replace);
  const In chinese(Language::zh);
  CHECK(translated("test: twice") == "再");
}
