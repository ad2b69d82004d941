#include "plot/svg.hpp"

#include <doctest/doctest.h>

#include <limits>

#include "plot/viridis.hpp"
#include "plot/xml.hpp"

using xf::test::XmlCheck;

TEST_CASE("the XML check of these tests finds what is wrong") {
  CHECK(XmlCheck::problem("<a b=\"1\"><c/>x &lt;</a>\n").empty());
  for (const std::string wrong : {"<a>", "<a></b>", "</a>", "<a b=1/>", "<a b=\"1/>", "<a>&</a>",
                                  "<a/><b/>", "x<a/>", "<a b=\"1\" b=\"2\"/>", "<a>< b</a>", ""})
    CHECK_MESSAGE(!XmlCheck::problem(wrong).empty(), wrong);
}

TEST_CASE("xml_text: escapes, keeps every script, replaces what XML does not allow") {
  CHECK(xf::xml_text("a<b>&\"c'") == "a&lt;b&gt;&amp;&quot;c&#39;");
  CHECK(xf::xml_text("é 中文 😀") == "é 中文 😀");
  CHECK(xf::xml_text("\x01|\xff|\xc3") == "\uFFFD|\uFFFD|\uFFFD");
  CHECK(xf::xml_text("\xed\xa0\x80") == "\uFFFD\uFFFD\uFFFD");  // a surrogate
  CHECK(xf::xml_text("\xc0\xaf") == "\uFFFD\uFFFD");            // overlong
  CHECK(xf::xml_text("\xef\xbf\xbf") == "\uFFFD");              // U+FFFF
}

TEST_CASE("shortened: cuts between characters, never inside one") {
  CHECK(xf::shortened("short", 14) == "short");
  CHECK(xf::shortened("中文中文中文", 3) == "中文…");
  CHECK(xf::text_width("中文") == doctest::Approx(2));
  CHECK(xf::text_width("ab") == doctest::Approx(1.24));
}

TEST_CASE("coordinate and number: short, and without a minus before zero") {
  CHECK(xf::coordinate(12.3456) == "12.35");
  CHECK(xf::coordinate(-0.001) == "0");
  CHECK(xf::coordinate(3) == "3");
  CHECK(xf::number(0.001) == "0.001");
  CHECK(xf::number(0.1 + 0.2) == "0.3");
  CHECK(xf::number(-0.0) == "0");
}

TEST_CASE("ticks: round numbers inside the range") {
  CHECK(xf::ticks(0, 1, 5) == std::vector<double>{0, 0.2, 0.4, 0.6000000000000001, 0.8, 1});
  CHECK(xf::ticks(-3, 12, 4) == std::vector<double>{0, 5, 10});
  CHECK(xf::ticks(1e6, 3e6, 4).size() == 5);
  CHECK(xf::ticks(1e17, 1e17 + 32, 5).size() <= 11);  // steps that round away end, too
  CHECK(xf::log_ticks(1, 1000, 5) == std::vector<double>{1, 10, 100, 1000});
  CHECK(xf::log_ticks(1, 20, 5) == std::vector<double>{1, 2, 5, 10, 20});
  CHECK(xf::log_ticks(1e-30, 1e30, 6).size() <= 9);
  CHECK(xf::log_ticks(0.0005, 2e4, 3) == std::vector<double>{0.01, 1, 100, 10000});
  CHECK(xf::log_ticks(0.35, 1.45, 6).size() >= 4);  // within a decade
  CHECK(xf::log_marks(1, 20) == std::vector<double>{2, 3, 4, 5, 6, 7, 8, 9, 20});
  CHECK(xf::log_marks(1, 5).empty());
  CHECK(xf::log_marks(1e-30, 1e30).empty());
}

TEST_CASE("viridis: the published colours at both ends and in the middle, grey for no number") {
  CHECK(xf::hex(xf::viridis(0)) == "#440154");
  CHECK(xf::hex(xf::viridis(0.5f)) == "#21918c");
  CHECK(xf::hex(xf::viridis(1)) == "#fde725");
  CHECK(xf::viridis(-5) == xf::viridis_table.front());
  CHECK(xf::viridis(5) == xf::viridis_table.back());
  CHECK(xf::hex(xf::viridis(std::numeric_limits<float>::quiet_NaN())) == "#bbbbbb");
  CHECK(xf::hex(xf::viridis(-std::numeric_limits<float>::infinity())) == "#bbbbbb");
  for (std::size_t i = 1; i < 256; ++i) {  // the lightness rises: BT.601 luma, with rounding
    const auto luma = [](xf::Rgb c) { return 299 * c.red + 587 * c.green + 114 * c.blue; };
    CHECK(luma(xf::viridis_table[i]) > luma(xf::viridis_table[i - 1]) - 500);
  }
}
