#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "language/language.hpp"

namespace xf {

// A matrix as a picture: one coloured cell a value, each axis with its own list of labels, which
// are shown with their index ("3 the"), so that repeated words stay apart.
struct Heatmap {
  Phrase title = {};
  std::vector<std::string> rows, columns;  // one label each, or none at all: then only indices
  std::vector<float> values;               // row_count x column_count, row-major
  int row_count = 0, column_count = 0;
  Phrase row_title = {}, column_title = {};
  std::optional<std::pair<float, float>> range =
      {};  // range of the colours; by default the smallest and the largest value
  std::optional<int> boundary_column = {};  // a dashed line left of this column: memory ends there
  int first_column = 0;  // its number: below 0 for a memory, so that a token has one number
};

// A whole SVG file. Up to 64 x 64 the cells are rectangles that show their value when pointed at;
// above, an embedded PNG. Throws std::invalid_argument when the counts do not agree.
std::string heatmap_svg(const Heatmap& map);

// Of a matrix that has too many cells for rectangles, a PNG file of the cells alone stands beside
// the SVG: about 400 pixels, without labels.
bool is_large(const Heatmap& heatmap);
std::string heatmap_png(const Heatmap& heatmap);

// Many heatmaps on one page, row by row, `columns` in a row: layers x heads. Those without a
// range share one. One colour bar when all have the same range, else one each. Where all have the
// same words, these stand on the left and on the top of the page alone.
std::string heatmap_grid_svg(const Phrase& title, const std::vector<Heatmap>& maps, int columns);

}  // namespace xf
