#include "io/utf8.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "support/errors.hpp"

using namespace xf;

namespace {

// The offset of the first bad byte; -1: none.
long bad_byte(std::string_view text) {
  std::size_t bad = 0;
  return valid_utf8(text, &bad) ? -1 : static_cast<long>(bad);
}

}  // namespace

TEST_CASE("utf8: every code point survives append and first_code_point") {
  for (char32_t value = 0; value <= 0x10FFFF; ++value) {
    if (value >= 0xD800 && value <= 0xDFFF) continue;
    std::string text;
    append_code_point(text, value);
    const CodePoint point = first_code_point(text + "x");
    if (point.value != value || point.bytes != text.size() || !valid_utf8(text))
      FAIL("code point " << static_cast<unsigned>(value));
  }
}

TEST_CASE("utf8: the first malformed byte is found") {
  CHECK(bad_byte("") == -1);
  CHECK(bad_byte("a é 你 😀 \xEF\xBF\xBD") == -1);  // U+FFFD itself is fine
  CHECK(bad_byte("abc\xFF") == 3);
  CHECK(bad_byte("\x80") == 0);              // a continuation byte alone
  CHECK(bad_byte("é\xC3") == 2);             // cut short
  CHECK(bad_byte("ab\xE4\xBD") == 2);        // cut short
  CHECK(bad_byte("\xE4\xBDzz") == 0);        // continued by a letter
  CHECK(bad_byte("\xC0\xAF") == 0);          // overlong '/'
  CHECK(bad_byte("\xE0\x80\xAF") == 0);      // overlong '/'
  CHECK(bad_byte("\xF0\x80\x80\xAF") == 0);  // overlong '/'
  CHECK(bad_byte("\xED\xA0\x80") == 0);      // a surrogate
  CHECK(bad_byte("\xF4\x90\x80\x80") == 0);  // beyond U+10FFFF
  CHECK(bad_byte("\xF8\x88\x80\x80\x80") == 0);
}

TEST_CASE("utf8: code_points cuts between characters and loses no byte") {
  CHECK(code_points("") == std::vector<std::string>{});
  CHECK(code_points("aé你😀") == std::vector<std::string>{"a", "é", "你", "😀"});
  CHECK(code_points("a\xE4\xBDz") == std::vector<std::string>{"a", "\xE4", "\xBD", "z"});
}

TEST_CASE("utf8: split_words drops all ASCII white space and nothing else") {
  CHECK(split_words("").empty());
  CHECK(split_words(" \t\r\v\f ").empty());
  CHECK(split_words("  a  b\tc ") == std::vector<std::string_view>{"a", "b", "c"});
  CHECK(split_words("a\u00A0b c") == std::vector<std::string_view>{"a\u00A0b", "c"});
}

TEST_CASE("utf8: replaced goes from left to right and does not look at what it wrote") {
  CHECK(replaced("", "a", "b") == "");
  CHECK(replaced("▁a▁▁b", "▁", " ") == " a  b");
  CHECK(replaced("aaa", "aa", "a") == "aa");
  CHECK(replaced("abc", "x", "y") == "abc");
}

TEST_CASE("utf8: what is malformed is said of its name, counted from 1") {
  xf::check_utf8("a é", "--prompt");
  xf::test::expect_user_error([] { xf::check_utf8("ab\xC3", "--prompt"); },
                              {"--prompt: invalid UTF-8 at byte 3"});
}
