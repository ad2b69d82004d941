#include "plot/heatmap.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "plot/xml.hpp"

namespace xf::test {

namespace {

Heatmap square(int side) {
  Heatmap map{.title = "title", .rows = {}, .columns = {}, .values = {}};
  map.row_count = map.column_count = side;
  for (int i = 0; i < side * side; ++i)
    map.values.push_back(static_cast<float>(i) / static_cast<float>(side * side - 1));
  return map;
}

// The fill of the cell that shows `text` when pointed at.
std::string fill_of(const std::string& svg, const std::string& text) {
  const std::size_t title = svg.find("<title>" + text + "</title>");
  REQUIRE_MESSAGE(title != std::string::npos, text);
  const std::size_t fill = svg.rfind("fill=\"", title) + 6;
  return svg.substr(fill, 7);
}

}  // namespace

TEST_CASE("heatmap: the colours, values and labels of a 2 x 2 map stand where they belong") {
  Heatmap map{.title = "attention",
              .rows = {"the", "the"},
              .columns = {"我", "爱"},
              .values = {0, 0.25f, 0.5f, 1},
              .row_count = 2,
              .column_count = 2,
              .row_title = "queries",
              .column_title = "keys",
              .range = {{0.0f, 1.0f}}};
  const std::string svg = heatmap_svg(map);
  CHECK(XmlCheck::problem(svg) == "");
  CHECK(fill_of(svg, "0 the / 0 我: 0") == "#440154");
  CHECK(fill_of(svg, "0 the / 1 爱: 0.25") == "#3b528b");
  CHECK(fill_of(svg, "1 the / 0 我: 0.5") == "#21918c");
  CHECK(fill_of(svg, "1 the / 1 爱: 1") == "#fde725");
  CHECK(occurrences(svg, ">0</tspan> the</text>") == 1);
  CHECK(occurrences(svg, ">1</tspan> the</text>") == 1);
  CHECK(occurrences(svg, ">1</tspan> 爱</text>") == 1);
  for (const std::string text : {">attention<", ">queries<", ">keys<", "fill=\"#ffffff\"/>"})
    CHECK_MESSAGE(svg.find(text) != std::string::npos, text);
}

TEST_CASE(
    "heatmap: numbers with signs are red below zero and blue above, as far one way as the other") {
  const Heatmap map{
      .rows = {}, .columns = {}, .values = {-1, -0.5f, 0, 2}, .row_count = 2, .column_count = 2};
  const std::string svg = heatmap_svg(map);
  CHECK(fill_of(svg, "1  / 1 : 2") == "#053061");
  CHECK(fill_of(svg, "1  / 0 : 0") == "#f7f7f7");
  CHECK(fill_of(svg, "0  / 0 : -1") == "#e58368");  // half of the way to -2
  CHECK(svg.find(">-2</text>") != std::string::npos);
}

TEST_CASE("heatmap: labels are escaped and long ones shortened, in full where pointed at") {
  Heatmap map = square(1);
  map.values = {2};
  map.title = "a < b & \"c\"";
  map.rows = {"<eos>"};
  map.columns = {std::string(100, 'w') + "\xff"};
  const std::string svg = heatmap_svg(map);
  CHECK(XmlCheck::problem(svg) == "");
  CHECK(svg.find("</tspan> &lt;eos&gt;<") != std::string::npos);
  CHECK(svg.find("www…</text>") != std::string::npos);
  CHECK(svg.find(std::string(100, 'w') + "\uFFFD: 2</title>") != std::string::npos);
}

TEST_CASE("heatmap: rectangles up to 64 x 64, an embedded picture above") {
  const std::string rectangles = heatmap_svg(square(64)), picture = heatmap_svg(square(65));
  CHECK(occurrences(rectangles, "<title>") == 64 * 64);
  CHECK(occurrences(rectangles, "<image") == 0);
  CHECK(occurrences(picture, "<title>") == 0);
  CHECK(occurrences(picture, "<image") == 1);
  CHECK(picture.find("data:image/png;base64,iVBORw0KGgo") != std::string::npos);
  CHECK(XmlCheck::problem(rectangles) == "");
  CHECK(XmlCheck::problem(picture) == "");
}

TEST_CASE("heatmap: the range is the values' own unless it is given") {
  Heatmap map = square(2);
  map.values = {3, 7, 7, 11};
  CHECK(fill_of(heatmap_svg(map), "0  / 0 : 3") == "#440154");
  CHECK(fill_of(heatmap_svg(map), "1  / 1 : 11") == "#fde725");
  map.range = {{3.0f, 19.0f}};
  CHECK(fill_of(heatmap_svg(map), "1  / 1 : 11") == "#21918c");
  map.range = {{2.0f, 2.0f}};
  CHECK_THROWS_AS(heatmap_svg(map), std::invalid_argument);
}

TEST_CASE("heatmap: equal values get the middle colour, what is not finite is grey") {
  Heatmap map = square(2);
  const float inf = std::numeric_limits<float>::infinity();
  map.values = {0.25f, 0.25f, std::nanf(""), -inf};
  const std::string svg = heatmap_svg(map);
  CHECK(fill_of(svg, "0  / 0 : 0.25") == "#21918c");
  CHECK(fill_of(svg, "1  / 0 : nan") == "#bbbbbb");
  CHECK(fill_of(svg, "1  / 1 : -inf") == "#bbbbbb");
  map.values = {-inf, -inf, inf, inf};
  CHECK(XmlCheck::problem(heatmap_svg(map)) == "");
  const float most = std::numeric_limits<float>::max();
  map.values = {-most, 0, 0, most};
  CHECK(fill_of(heatmap_svg(map), "0  / 1 : 0") == "#f7f7f7");
}

TEST_CASE("heatmap: a boundary is a dashed line left of its column") {
  Heatmap map = square(4);
  CHECK(occurrences(heatmap_svg(map), "stroke-dasharray") == 0);
  map.boundary_column = 3;
  const std::string svg = heatmap_svg(map);
  const std::size_t cell = svg.find("<title>0  / 3 :");
  const std::size_t x = svg.rfind("<rect x=\"", cell) + 9;
  const std::string left = svg.substr(x, svg.find('"', x) - x);
  const std::size_t dashed = svg.rfind("<line", svg.find("stroke-dasharray"));
  CHECK(svg.substr(dashed).starts_with("<line x1=\"" + left + "\""));
}

TEST_CASE("heatmap: counts that do not agree are refused") {
  Heatmap map = square(2);
  map.values.pop_back();
  CHECK_THROWS_AS(heatmap_svg(map), std::invalid_argument);
  map = square(2);
  map.rows = {"one"};
  CHECK_THROWS_AS(heatmap_svg(map), std::invalid_argument);
  CHECK_THROWS_AS(heatmap_svg(Heatmap{.title = "", .rows = {}, .columns = {}, .values = {}}),
                  std::invalid_argument);
}

TEST_CASE("heatmap grid: every map has its title; one colour bar for one range, else one each") {
  std::vector<Heatmap> maps(7, square(3));
  for (std::size_t i = 0; i < maps.size(); ++i) maps[i].title = "head " + std::to_string(i);
  const std::string shared = heatmap_grid_svg("page", maps, 4);
  CHECK(XmlCheck::problem(shared) == "");
  for (const Heatmap& map : maps) CHECK(occurrences(shared, ">" + map.title.str() + "<") == 1);
  const std::string one = ">0.4</text>";  // a tick that each tall colour bar has once
  CHECK(occurrences(shared, one) == 1);
  maps[6].range = {{0.0f, 2.0f}};
  const std::string own = heatmap_grid_svg("page", maps, 4);
  CHECK(XmlCheck::problem(own) == "");
  CHECK(occurrences(own, ">0.5</text>") == 6);
  CHECK_THROWS_AS(heatmap_grid_svg("page", {}, 4), std::invalid_argument);
  CHECK_THROWS_AS(heatmap_grid_svg("page", maps, 0), std::invalid_argument);
}

TEST_CASE("heatmap grid: words that all maps share stand on the left and on the top alone") {
  Heatmap map = square(3);
  map.rows = {"r0", "r1", "r2"}, map.columns = {"c0", "c1", "c2"};
  std::vector<Heatmap> maps(6, map);
  const auto counts = [&](const char* word) {
    return occurrences(heatmap_grid_svg("page", maps, 3), word);
  };
  CHECK(counts("r1<") == 2);  // two rows of maps
  CHECK(counts("c1<") == 3);  // three columns
  maps[4].rows[1] = "other";
  CHECK(counts("r1<") == 5);
  CHECK(counts("c1<") == 6);
}

TEST_CASE("heatmap: a memory's columns are numbered below 0") {
  Heatmap map = square(3);
  map.columns = {"a", "b", "c"};
  map.first_column = -2;
  const std::string svg = heatmap_svg(map);
  CHECK(occurrences(svg, ">-2</tspan> a</text>") == 1);
  CHECK(occurrences(svg, ">0</tspan> c</text>") == 1);
  CHECK(XmlCheck::problem(svg) == "");
}

TEST_CASE("heatmap grid: neighbours of one colour are one rectangle, so that a page stays small") {
  Heatmap map = square(40);
  map.range = {{0.0f, 1.0f}};
  for (float& value : map.values) value = 0;
  map.values[5] = 1;
  const std::string svg = heatmap_grid_svg("", {map}, 1);
  CHECK(occurrences(svg, "fill=\"#440154\"") == 39 + 2);  // two pieces in the first row
  CHECK(XmlCheck::problem(svg) == "");
}

TEST_CASE("heatmap: a large matrix has a PNG of its cells beside it") {
  CHECK_FALSE(is_large(square(64)));
  CHECK(is_large(square(65)));
  const std::string png = heatmap_png(square(100));
  CHECK(png.substr(0, 8) == "\x89PNG\r\n\x1a\n");
  const auto number_at = [&](std::size_t at) {
    return static_cast<unsigned char>(png[at + 2]) * 256 + static_cast<unsigned char>(png[at + 3]);
  };
  CHECK(number_at(16) == 400);  // pixels across: 4 for each cell
  CHECK(number_at(20) == 400);
  Heatmap wrong = square(100);
  wrong.values.pop_back();
  CHECK_THROWS_AS(heatmap_png(wrong), std::invalid_argument);
}

}  // namespace xf::test
