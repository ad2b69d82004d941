#include "io/printable.hpp"

#include <cstdint>

#include <doctest/doctest.h>

#include "io/numbers.hpp"
#include "io/utf8.hpp"
#include "support/repeated.hpp"

using namespace xf;

TEST_CASE("printable: text of any language stays, what a terminal would obey is escaped") {
  CHECK(printable("train.de:3: Größe 你好 😀 'x'\\") == "train.de:3: Größe 你好 😀 'x'\\");
  CHECK(printable("one\ntwo") == "one two");
  CHECK(printable("a\x1b[31mb\rc\x7f") == "a\\x1b[31mb\\x0dc\\x7f");
  CHECK(printable("\xff\xc3") == "\\xff\\xc3");
  CHECK(printable("\u009b\u202etxt\u200b") == "\\u009b\\u202etxt\\u200b");
  CHECK(printable(std::string("a\0b", 3)) == "a\\x00b");
}

TEST_CASE("formatted: a long text is whole") {
  CHECK(formatted("%s|%d|%.3f", "a", -5, 0.5) == "a|-5|0.500");
  CHECK(formatted("%d", 0) == "0");
  CHECK(formatted("%s", "").empty());
  const std::string longest(100000, 'x');
  CHECK(formatted("<%s>", longest.c_str()) == "<" + longest + ">");
}

TEST_CASE("printable: of a long text the middle is left out, between characters") {
  CHECK(printable(std::string(1000, 'x')) == std::string(1000, 'x'));
  for (const std::string piece : {"x", "é", "你", "😀"}) {
    std::string text = "model/";
    while (text.size() < 200'000) text += piece;
    const std::string shown = printable(text + ": an end");
    CHECK(shown.size() < 1000);
    CHECK(shown.starts_with("model/" + piece));
    CHECK(shown.ends_with(piece + ": an end"));
    CHECK(shown.find(" bytes ... ") != std::string::npos);
    CHECK(shown.find('\\') == std::string::npos);
    CHECK(valid_utf8(shown));
  }
}

TEST_CASE("shortened: of a long text the beginning, whole characters, and its length") {
  CHECK(shortened("") == "");
  CHECK(shortened(std::string(60, '9')) == std::string(60, '9'));
  CHECK(shortened(std::string(900, '9')) == std::string(60, '9') + " ... (900 bytes)");
  CHECK(shortened(std::string(59, 'x') + test::repeated("字", 20)) ==
        std::string(59, 'x') + " ... (119 bytes)");
}

TEST_CASE("numbers: the whole text or nothing") {
  CHECK(number_in<int>("-12") == -12);
  CHECK(number_in<std::uint64_t>("18446744073709551615") == 18446744073709551615u);
  CHECK(number_in<double>("1e-3") == 1e-3);
  for (const char* text : {"", " ", "1 ", " 1", "1x", "0x10", "+1", "nan", "inf", "1e999"}) {
    CHECK(!number_in<int>(text));
    CHECK(!number_in<double>(text));
  }
  CHECK(!number_in<int>("2147483648"));
  CHECK(!number_in<std::uint64_t>("-1"));
  CHECK(integers_in("7") == std::vector<int>{7});
  CHECK(integers_in("0,12,24") == std::vector<int>{0, 12, 24});
  for (const char* text : {"", ",", "1,", ",1", "1,,2", "1, 2", "a"}) CHECK(!integers_in(text));
}
