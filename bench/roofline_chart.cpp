#include "roofline_chart.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "language/language.hpp"
#include "plot/svg.hpp"

namespace xf::bench {

namespace {

constexpr double width = 760, height = 460, left = 62, right = 24, top = 44, bottom = 54;
constexpr double least_x = 0.05, max_x = 400, least_y = 1, max_y = 500;

double across(double intensity) {
  return left + (width - left - right) * std::log(intensity / least_x) / std::log(max_x / least_x);
}
double up(double gflops) {
  return height - bottom -
         (height - top - bottom) * std::log(gflops / least_y) / std::log(max_y / least_y);
}

void axes(Svg& svg) {
  for (double x : {0.1, 1.0, 10.0, 100.0}) {
    svg.line(across(x), top, across(x), height - bottom, "#e4e4e4");
    svg.text(across(x), height - bottom + 14, number(x), {.anchor = "middle"});
  }
  for (double y : {1.0, 10.0, 100.0}) {
    svg.line(left, up(y), width - right, up(y), "#e4e4e4");
    svg.text(left - 8, up(y), number(y), {.anchor = "end"});
  }
  svg.frame(left, top, width - left - right, height - top - bottom);
  svg.text(width / 2, height - 16, words("operations for each byte of the operands and the result"),
           {.size = 13, .anchor = "middle"});
  svg.text(16, height / 2, words("GFLOP/s, one thread"),
           {.size = 13, .anchor = "middle", .turn = -90});
}

// What the picture shows: how close the smallest and largest products come to their roofs.
Words finding(const Roofline& machine, const std::vector<RooflinePoint>& points) {
  const auto by_rows = [](const RooflinePoint& p, const RooflinePoint& q) {
    return std::pair(p.rows, p.gflops) < std::pair(q.rows, q.gflops);
  };
  const RooflinePoint& most = *std::ranges::max_element(points, by_rows);
  const auto one = std::ranges::find(points, 1, &RooflinePoint::rows);
  const auto reached = [&](const RooflinePoint& p) {
    return number(std::round(100 * p.gflops / machine.roof(p.intensity)));
  };
  return words(
      "A product of 1 row reaches {} % of what memory allows, one of {} rows {} % of the roof",
      reached(*one), most.rows, reached(most));
}

// y = bandwidth x, from the lower or left edge up to where it meets the ceiling.
void slope(Svg& svg, double bandwidth, double ceiling, const std::string& name,
           const std::string& colour, const std::string& dashes) {
  const double start = std::max(least_x, least_y / bandwidth), end = ceiling / bandwidth;
  svg.line(across(start), up(bandwidth * start), across(end), up(ceiling), colour, 2, dashes);
  const double at = start * std::pow(end / start, 0.45);
  const double rise = (up(bandwidth * start) - up(ceiling)) / (across(end) - across(start));
  svg.text(
      across(at) - 10, up(bandwidth * at) - 10, name,
      {.anchor = "middle", .turn = -std::atan(rise) * 180 / 3.14159265, .fill = colour.c_str()});
}

void ceiling(Svg& svg, double gflops, double from, const std::string& name,
             const std::string& colour, const std::string& dashes, double shift) {
  svg.line(across(from), up(gflops), width - right, up(gflops), colour, 2, dashes);
  svg.text(across(from) + 8, up(gflops) + shift, name, {.fill = colour.c_str()});
}

}  // namespace

std::string roofline_svg(const Roofline& machine, const std::vector<RooflinePoint>& points) {
  const std::string grey = "#888888", black = "#222222", blue = "#0072b2", red = "#d55e00";
  Svg svg;
  axes(svg);
  svg.text(width / 2, 20, finding(machine, points), {.size = 15, .anchor = "middle", .bold = true});
  const double flat = machine.registers;
  slope(svg, machine.near, flat, words("cache, {} GB/s", number(std::round(machine.near))), grey,
        "6 4");
  slope(svg, machine.far, flat, words("memory, {} GB/s", number(std::round(machine.far))), black,
        "");
  ceiling(svg, machine.sgemm, machine.sgemm / machine.far,
          words("sgemm, {} GFLOP/s", number(std::round(machine.sgemm))), grey, "2 3", 12);
  ceiling(svg, flat, flat / machine.far,
          words("arithmetic in registers, {} GFLOP/s", number(std::round(flat))), black, "", -10);
  for (const RooflinePoint& p : points) {
    const bool product = p.rows > 0;
    const double x = across(p.intensity), y = up(p.gflops);
    if (p.intensity > 30) {  // these are close together: each label slants up to its point
      svg.text(x - 5, y + 9, p.label, {.anchor = "end", .turn = -50});
    } else {
      svg.text(x + 9, y + 8, p.rows == 1 ? "1 row" : words("{} rows", p.rows));
    }
    svg.circle(x, y, 4.5, product ? red : blue);
  }
  return svg.file(width, height);
}

}  // namespace xf::bench
