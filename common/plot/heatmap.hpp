#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "language/language.hpp"

namespace xf {

// A matrix as a picture: one coloured cell for each value, each axis with its own list of labels,
// which are shown with their index ("3 the"), to distinguish repeated words.
struct Heatmap {
  Phrase title = {};
  std::vector<std::string> rows = {}, columns = {};  // one label each, or empty: indices only
  std::vector<float> values = {};                    // row_count x column_count, row-major
  int row_count = 0, column_count = 0;
  Phrase row_title = {}, column_title = {};
  // The range of the colours; by default the smallest and the largest value.
  std::optional<std::pair<float, float>> range = {};
  std::optional<int> boundary_column = {};  // draws a dashed line left of it: end of the memory
  int first_column = 0;  // number of column 0, negative for a memory: tokens keep theirs
};

// A whole SVG file. Up to 64 x 64, the cells are rectangles that show their value on hover; larger
// maps are an embedded PNG. Throws std::invalid_argument when the counts do not agree.
std::string heatmap_svg(const Heatmap& map);

// For a matrix with too many cells for rectangles, a PNG file of only the cells is written beside
// the SVG: about 400 pixels, without labels.
bool is_large(const Heatmap& heatmap);
std::string heatmap_png(const Heatmap& heatmap);

// Many heatmaps on one page, with `columns` in each row: layers x heads. Maps without a range share
// one. There is one colour bar if all ranges are equal, else one per map. If all maps have the same
// labels, these are shown only at the left and the top of the page.
std::string heatmap_grid_svg(const Phrase& title, const std::vector<Heatmap>& maps, int columns);

}  // namespace xf
