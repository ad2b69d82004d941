#include "plot/lines.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <sstream>
#include <stdexcept>

#include "plot/svg.hpp"
#include "plot/xml.hpp"

namespace xf::test {

namespace {

std::vector<std::pair<double, double>> points_of(const std::string& svg) {
  const std::size_t first = svg.find("points=\"") + 8;
  std::istringstream text(svg.substr(first, svg.find('"', first) - first));
  std::vector<std::pair<double, double>> points;
  char comma = 0;
  for (double x, y; text >> x >> comma >> y;) points.emplace_back(x, y);
  return points;
}

LineChart chart_of(std::vector<double> x, std::vector<double> y) {
  return {
      .title = "t", .x_title = "x", .y_title = "y", .series = {{"", std::move(x), std::move(y)}}};
}

}  // namespace

TEST_CASE("line chart: points go right with x and up with y, evenly") {
  const auto points = points_of(line_chart_svg(chart_of({0, 1, 2}, {5, 6, 7})));
  REQUIRE(points.size() == 3);
  CHECK(points[1].first - points[0].first == doctest::Approx(points[2].first - points[1].first));
  CHECK(points[0].first < points[1].first);
  CHECK(points[1].second - points[0].second ==
        doctest::Approx(points[2].second - points[1].second));
  CHECK(points[0].second > points[1].second);
}

TEST_CASE("line chart: on log axes equal factors are equal distances") {
  LineChart chart = chart_of({1, 10, 100}, {1, 100, 10000});
  chart.log_x = chart.log_y = true;
  const std::string svg = line_chart_svg(chart);
  const auto points = points_of(svg);
  REQUIRE(points.size() == 3);
  CHECK(points[1].first - points[0].first ==
        doctest::Approx(points[2].first - points[1].first).epsilon(1e-3));
  CHECK(points[1].second - points[0].second ==
        doctest::Approx(points[2].second - points[1].second).epsilon(1e-3));
  CHECK(svg.find(">10000</text>") != std::string::npos);
}

TEST_CASE("line chart: titles, a legend entry and a colour for each series") {
  LineChart chart{.title = "Loss < 1", .x_title = "updates", .y_title = "loss", .series = {}};
  for (int i = 0; i < 9; ++i) chart.series.push_back({"run " + std::to_string(i), {1, 2}, {3, 4}});
  const std::string svg = line_chart_svg(chart);
  CHECK(XmlCheck::problem(svg) == "");
  for (const std::string text : {">Loss &lt; 1<", ">updates<", ">loss<", ">run 0<", ">run 8<"})
    CHECK_MESSAGE(svg.find(text) != std::string::npos, text);
  CHECK(occurrences(svg, "<polyline") == 18);
  CHECK(occurrences(svg, "stroke-dasharray") == 4);  // the eighth and ninth, with their legend
}

TEST_CASE("line chart: each name stands at the end of its line, none on another one") {
  LineChart chart{.title = "t", .x_title = "x", .y_title = "y", .series = {}};
  const std::vector<double> ends{1, 9, 8.9, 5};
  for (double end : ends) chart.series.push_back({"to " + number(end), {0, 1}, {0, end}});
  const std::string svg = line_chart_svg(chart);
  const auto height = [&](const std::string& name) {
    const std::size_t text = svg.rfind("<text", svg.find(">" + name + "<"));
    return std::stod(svg.substr(svg.find(" y=\"", text) + 4));
  };
  CHECK(height("to 9") + 17 <= height("to 8.9"));
  CHECK(height("to 8.9") + 50 < height("to 5"));
  CHECK(height("to 5") + 50 < height("to 1"));
}

TEST_CASE("line chart: a series beside another one has its colour, dashed") {
  LineChart chart;
  chart.series = {{"training", {0, 1}, {1, 2}},
                  {"held out", {0, 1}, {2, 3}, true},
                  {"another", {0, 1}, {3, 4}}};
  const std::string svg = line_chart_svg(chart);
  CHECK(occurrences(svg, "#0072b2") == 8);  // each a line, two points and its legend
  CHECK(occurrences(svg, "#d55e00") == 4);
  CHECK(occurrences(svg, "stroke-dasharray") == 2);
}

TEST_CASE("line chart: what lies under a dashed series is seen, its points too") {
  const LineChart chart{.series = {{.name = "a", .x = {0, 1}, .y = {1, 1}},
                                   {.name = "b", .x = {0, 1}, .y = {1, 1}, .dashed = true}}};
  const std::string svg = line_chart_svg(chart);
  CHECK(occurrences(svg, "stroke-dasharray") == 2);  // the line, and its entry in the legend
  CHECK(occurrences(svg, "r=\"3\"") == 2);
  CHECK(occurrences(svg, "r=\"1.8\"") == 2);
}

TEST_CASE("line chart: points that an axis cannot show leave a gap") {
  const double nan = std::nan(""), inf = std::numeric_limits<double>::infinity();
  const std::string svg = line_chart_svg(chart_of({1, 2, 3, 4, 5, 6}, {1, 2, nan, 3, inf, 4}));
  CHECK(occurrences(svg, "<polyline") == 3);
  CHECK(svg.find("nan") == std::string::npos);
  CHECK(svg.find("inf") == std::string::npos);
  LineChart log = chart_of({1, 2, 3}, {0, -1, 5});
  log.log_y = true;
  CHECK(occurrences(line_chart_svg(log), "<circle") == 1);
}

TEST_CASE("line chart: nothing, one point and equal points still make a chart") {
  for (const LineChart& chart :
       {chart_of({}, {}), chart_of({3}, {5}), chart_of({1, 1}, {0, 0}), LineChart{},
        chart_of({-1e300, 1e300}, {1e299, -1e299}), chart_of({1e17, 1e17 + 16}, {1, 1})}) {
    const std::string svg = line_chart_svg(chart);
    CHECK(XmlCheck::problem(svg) == "");
    CHECK(svg.find("nan") == std::string::npos);
    CHECK(svg.find("inf") == std::string::npos);
  }
}

TEST_CASE("line chart: a long curve is thinned out, but keeps its extremes") {
  std::vector<double> x, y;
  for (int i = 0; i < 100'000; ++i) {
    x.push_back(i);
    y.push_back(i == 41'235 ? 50.0 : std::sin(i));
  }
  const std::string svg = line_chart_svg(chart_of(x, y));
  CHECK(svg.size() < 100'000);
  double top = 1e9;
  int at_top = 0;
  for (const auto& point : points_of(svg)) top = std::min(top, point.second);
  for (const auto& point : points_of(svg)) at_top += point.second == top;
  CHECK(at_top == 1);
  CHECK(top ==
        doctest::Approx(points_of(line_chart_svg(chart_of({0, 1, 2}, {-1, 0, 50})))[2].second)
            .epsilon(0.01));
}

TEST_CASE("line chart: as many x as y") {
  CHECK_THROWS_AS(line_chart_svg(chart_of({1, 2}, {1})), std::invalid_argument);
}

}  // namespace xf::test
