#pragma once

#include <string>
#include <vector>

#include "language/language.hpp"

namespace xf {

struct Series {
  Phrase name = {};
  std::vector<double> x, y;      // as many of each
  bool beside_previous = false;  // dashed, in the colour of the series before it
  bool dashed = false;           // to show what is under it
};

struct LineChart {
  Phrase title = {}, x_title = {}, y_title = {};
  std::vector<Series> series;
  bool log_x = false, log_y = false;
  int width = 720, height = 440;
};

// A whole SVG file: a line for each series with its name at its end, axes with round numbers. A
// point that is not finite, or not positive on a log axis, leaves a gap. Throws
// std::invalid_argument when a series has more x than y or the reverse.
std::string line_chart_svg(const LineChart& chart);

}  // namespace xf
