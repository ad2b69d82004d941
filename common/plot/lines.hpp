#pragma once

#include <string>
#include <vector>

#include "language/language.hpp"

namespace xf {

struct Series {
  Phrase name = {};
  std::vector<double> x = {}, y = {};  // as many of each
  bool beside_previous = false;        // dashed, in the colour of the series before it
  bool dashed = false;                 // drawn so that lines below it remain visible

  void add(double at_x, double at_y) {
    x.push_back(at_x);
    y.push_back(at_y);
  }
};

struct LineChart {
  Phrase title = {}, x_title = {}, y_title = {};
  std::vector<Series> series = {};
  bool log_x = false, log_y = false;
  int width = 720, height = 440;
};

// A whole SVG file: a line for each series, labelled at its end, and axes with round numbers. A
// point that is not finite, or not positive on a log axis, leaves a gap. Throws
// std::invalid_argument when a series has different numbers of x and y.
std::string line_chart_svg(const LineChart& chart);

}  // namespace xf
