#include "plot/diagram.hpp"

#include <doctest/doctest.h>

#include "language/language.hpp"
#include "plot/xml.hpp"

namespace xf::test {

TEST_CASE("diagram: every cell of a matrix stands where it belongs, with its number and colours") {
  Diagram diagram("title", 300, 200);
  diagram.grid({.x = 10,
                .y = 50,
                .cell_width = 40,
                .cell_height = 20,
                .rows = 2,
                .columns = 3,
                .cell = [](int row, int column) -> Diagram::Cell {
                  return {.text = std::to_string(10 * row + column), .fill = "#123456"};
                },
                .name = "Q",
                .shape = "(T, d_k)"});
  const std::string svg = diagram.file();
  CHECK(XmlCheck::problem(svg) == "");
  CHECK(occurrences(svg, "fill=\"#123456\"") == 6);
  CHECK(occurrences(svg, "x=\"90\" y=\"70\" width=\"40\" height=\"20\"") == 1);  // row 1, column 2
  for (const char* text : {">Q<", ">(T, d_k)<", ">12<", ">title<"})
    CHECK(occurrences(svg, text) == 1);
}

TEST_CASE("diagram: an arrow ends where it should, in a tip") {
  Diagram diagram("", 100, 100);
  diagram.arrow(10, 20, 50, 20, "#ff0000", "5 4");
  const std::string svg = diagram.file();
  CHECK(occurrences(svg, "<polygon points=\"50,20 41,24 41,16\" fill=\"#ff0000\"/>") == 1);
  CHECK(occurrences(svg, "x1=\"10\" y1=\"20\" x2=\"41\" y2=\"20\"") == 1);
  CHECK(occurrences(svg, "stroke-dasharray=\"5 4\"") == 1);
}

TEST_CASE("diagram: what it says is translated, what is data is not; markup is shown as it is") {
  add_catalogue("msgid \"a box of tests\"\nmsgstr \"测试的方框\"\n");
  set_language(Language::zh);
  Diagram diagram("", 10, 100);
  diagram.box(5, 5, 90, 40, ink::blue, {"a box of tests"});
  diagram.text(5, 60, std::string("a box of tests"));
  diagram.text(5, 80, std::string("<bos>"));
  set_language(Language::en);
  const std::string svg = diagram.file();
  CHECK(XmlCheck::problem(svg) == "");
  CHECK(occurrences(svg, ">测试的方框<") == 1);
  CHECK(occurrences(svg, ">a box of tests<") == 1);
  CHECK(occurrences(svg, ">&lt;bos&gt;<") == 1);
}

TEST_CASE("diagram: it is as wide as its title") {
  const std::string svg = Diagram("a title that is much wider than fifty pixels", 50, 50).file();
  CHECK(svg.find("width=\"50\"") == std::string::npos);
}

}  // namespace xf::test
