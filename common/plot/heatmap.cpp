#include "plot/heatmap.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "io/printable.hpp"
#include "plot/png.hpp"
#include "plot/scale.hpp"
#include "plot/svg.hpp"
#include "tensor/portable_math.hpp"

namespace xf {

namespace {

constexpr int max_rectangles = 64;    // per side; larger maps are one image
constexpr double longest_label = 14;  // in units of the font size
constexpr double smallest_font = 11;  // in smaller cells, labels are skipped
constexpr double slope = 60;          // angle of the column labels, in degrees

using Range = std::pair<float, float>;

ColourScale scale_of(Range range) { return {range.first, range.second}; }

void check(const Heatmap& map) {
  const auto fits = [](const std::vector<std::string>& labels, int count) {
    return labels.empty() || labels.size() == static_cast<std::size_t>(count);
  };
  if (map.row_count < 1 || map.column_count < 1 ||
      map.values.size() !=
          static_cast<std::size_t>(map.row_count) * static_cast<std::size_t>(map.column_count))
    throw std::invalid_argument(formatted("heatmap: %zu values are not %d x %d", map.values.size(),
                                          map.row_count, map.column_count));
  if (!fits(map.rows, map.row_count) || !fits(map.columns, map.column_count))
    throw std::invalid_argument(formatted("heatmap: %zu and %zu labels do not fit %d x %d",
                                          map.rows.size(), map.columns.size(), map.row_count,
                                          map.column_count));
  if (map.range && !(map.range->first < map.range->second))
    throw std::invalid_argument("heatmap: the range is empty");
}

// From the smallest to the largest finite value; if they are equal, an interval around them.
Range spread(const std::vector<const Heatmap*>& maps) {
  bool any = false;
  Range range{0, 1};
  for (const Heatmap* map : maps)
    for (float value : map->values)
      if (std::isfinite(value)) {
        range = any ? Range{std::min(range.first, value), std::max(range.second, value)}
                    : Range{value, value};
        any = true;
      }
  if (range.first < range.second) return range;
  const float half = std::abs(range.first) < 1e-30f ? 0.5f : std::abs(range.first) / 2;
  return {range.first - half, range.second + half};
}

// The sizes of one heatmap on the page, in pixels.
struct Layout {
  double cell, font;
  double left, top, right, bottom;  // margins around the cells
  double cells_wide, cells_high;

  double width() const { return left + cells_wide + right; }
  double height() const { return top + cells_high + bottom; }
};

double longest(const std::vector<std::string>& labels, int count) {
  double width = 0;
  for (const std::string& label : labels)
    width = std::max(width, 0.3 + text_width(shortened(label, longest_label)));
  return width + 0.6 * static_cast<double>(std::to_string(count - 1).size());
}

// `side`: the approximate size of the longer side of the cells, in pixels.
Layout layout(const Heatmap& map, double side, double largest_cell) {
  Layout result{};
  result.cell = std::min(largest_cell, side / std::max(map.row_count, map.column_count));
  if (result.cell > 3) result.cell = std::floor(result.cell);  // whole pixels: sharp edges
  result.font = std::clamp(0.75 * result.cell, smallest_font, 13.0);
  result.cells_wide = result.cell * map.column_count;
  result.cells_high = result.cell * map.row_count;
  const double angle = slope * M_PI / 180;
  const double labels = result.font * longest(map.columns, map.column_count);
  result.left =
      18 + result.font * longest(map.rows, map.row_count) + (map.row_title.str().empty() ? 0 : 18);
  result.top = 12 + (map.title.str().empty() ? 0 : 22) + (map.column_title.str().empty() ? 0 : 18) +
               labels * portable::sin(angle) + 0.5 * result.font;
  result.right = 10 + labels * portable::cos(angle);
  result.bottom = 12;
  return result;
}

std::string label_at(const std::vector<std::string>& labels, int index) {
  return labels.empty() ? "" : labels[static_cast<std::size_t>(index)];
}

std::string cell_title(const Heatmap& map, int row, int column, float value) {
  return std::to_string(row) + " " + label_at(map.rows, row) + " / " +
         std::to_string(map.first_column + column) + " " + label_at(map.columns, column) + ": " +
         number(value);
}

// "0" for an exact zero (a masked weight), "0.00" for a tiny one.
std::string short_number(float value) {
  const char* format = value == 0 ? "%.0f" : std::abs(value) < 100 ? "%.2f" : "%.3g";
  return formatted(format, static_cast<double>(value));
}

// Black or white, whichever has more contrast (ITU-R BT.601 luma).
const char* ink_on(Rgb colour) {
  return 0.299 * colour.red + 0.587 * colour.green + 0.114 * colour.blue > 140 ? "#000000"
                                                                               : "#ffffff";
}

float value_at(const Heatmap& map, int row, int column) {
  return map.values[static_cast<std::size_t>(row) * map.column_count + column];
}

// Each cell with its value on hover.
void draw_cells(Svg& svg, const Heatmap& map, const Layout& at, double x, double y,
                const ColourScale& colour) {
  svg.begin_sharp();
  for (int row = 0; row < map.row_count; ++row)
    for (int column = 0; column < map.column_count; ++column) {
      const float value = value_at(map, row, column);
      svg.rectangle(x + column * at.cell, y + row * at.cell, at.cell, at.cell, hex(colour(value)),
                    cell_title(map, row, column, value));
    }
  svg.end_sharp();
}

// Merges neighbours of equal colour into one rectangle, so that a page of many heads stays small.
void draw_runs(Svg& svg, const Heatmap& map, const Layout& at, double x, double y,
               const ColourScale& scale) {
  const auto colour = [&](int row, int column) { return scale(value_at(map, row, column)); };
  svg.begin_sharp();
  for (int row = 0; row < map.row_count; ++row)
    for (int first = 0, last = 0; first < map.column_count; first = last) {
      while (last < map.column_count && colour(row, last) == colour(row, first)) ++last;
      svg.rectangle(x + first * at.cell, y + row * at.cell, (last - first) * at.cell, at.cell,
                    hex(colour(row, first)));
    }
  svg.end_sharp();
}

void draw_numbers(Svg& svg, const Heatmap& map, const Layout& at, double x, double y,
                  const ColourScale& colour) {
  for (int row = 0; row < map.row_count; ++row)
    for (int column = 0; column < map.column_count; ++column) {
      const float value = value_at(map, row, column);
      svg.text(x + (column + 0.5) * at.cell, y + (row + 0.5) * at.cell, short_number(value),
               {.size = 11, .anchor = "middle", .fill = ink_on(colour(value))});
    }
}

// The cells as a PNG file, each a square of `side` pixels.
std::string cells_png(const Heatmap& map, int side, const ColourScale& colour) {
  const int width = side * map.column_count, height = side * map.row_count;
  std::vector<Rgb> pixels;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) pixels.push_back(colour(value_at(map, y / side, x / side)));
  return png(width, height, pixels);
}

// Which axes of a map are labelled.
struct Labelled {
  bool rows = true, columns = true;
};

void draw_labels(Svg& svg, const Heatmap& map, const Layout& at, double x, double y,
                 Labelled labelled) {
  const int every = std::max(1, static_cast<int>(std::ceil(1.15 * at.font / at.cell)));
  for (int row = 0; labelled.rows && row < map.row_count; row += every)
    svg.label(x - 5, y + (row + 0.5) * at.cell, row,
              shortened(label_at(map.rows, row), longest_label),
              {.size = at.font, .anchor = "end"});
  for (int column = 0; labelled.columns && column < map.column_count; column += every)
    svg.label(x + (column + 0.5) * at.cell, y - 4 - 0.3 * at.font, map.first_column + column,
              shortened(label_at(map.columns, column), longest_label),
              {.size = at.font, .turn = -slope});
}

// Draws the map with the top left corner of its layout at (x, y).
void draw(Svg& svg, const Heatmap& map, const Layout& at, double x, double y,
          const ColourScale& colour, bool detailed, Labelled labelled = {}) {
  const double left = x + at.left, top = y + at.top;
  if (is_large(map))
    svg.image(left, top, at.cells_wide, at.cells_high, cells_png(map, 1, colour));
  else if (detailed)
    draw_cells(svg, map, at, left, top, colour);
  else
    draw_runs(svg, map, at, left, top, colour);
  if (detailed && at.cell >= 34) draw_numbers(svg, map, at, left, top, colour);
  svg.frame(left, top, at.cells_wide, at.cells_high);
  if (map.boundary_column) {
    const double boundary = left + *map.boundary_column * at.cell;
    svg.line(boundary, top - 4, boundary, top + at.cells_high + 4, "#ffffff", 3);
    svg.line(boundary, top - 4, boundary, top + at.cells_high + 4, "#d00000", 2, "5 4");
  }
  draw_labels(svg, map, at, left, top, labelled);
  double line = y + 14;
  if (!map.title.str().empty()) {
    svg.text(x + 8, line, map.title, {.size = detailed ? 15.0 : 12.0, .bold = true});
    line += 20;
  }
  if (!map.column_title.str().empty())
    svg.text(left + at.cells_wide / 2, line, map.column_title, {.anchor = "middle"});
  if (!map.row_title.str().empty())
    svg.text(x + 14, top + at.cells_high / 2, map.row_title, {.anchor = "middle", .turn = -90});
}

// The width of a bold line of text, including the margin.
double title_width(const std::string& title, double size) { return 16 + size * text_width(title); }

// The range of each map; maps without one of their own share a common range.
std::vector<Range> ranges_of(const std::vector<Heatmap>& maps) {
  std::vector<const Heatmap*> free;
  for (const Heatmap& map : maps)
    if (!map.range) free.push_back(&map);
  const Range shared = spread(free);
  std::vector<Range> ranges;
  for (const Heatmap& map : maps) ranges.push_back(map.range.value_or(shared));
  return ranges;
}

bool have_the_same_words(const std::vector<Heatmap>& maps) {
  const auto same = [&](const Heatmap& map) {
    return map.rows == maps[0].rows && map.columns == maps[0].columns &&
           map.row_count == maps[0].row_count && map.column_count == maps[0].column_count &&
           map.row_title.str().empty() && map.column_title.str().empty();
  };
  return maps.size() > 1 && std::all_of(maps.begin(), maps.end(), same);
}

double panel_side(const Heatmap& map) {
  return std::clamp(9.0 * std::max(map.row_count, map.column_count), 150.0, 420.0);
}

// Where each column (row) of the grid begins, given the width (height) of each panel; one more
// entry gives the end of the last one.
std::vector<double> starts(const std::vector<double>& sizes, std::size_t lines, auto line_of,
                           double from) {
  std::vector<double> largest(lines, 0);
  for (std::size_t i = 0; i < sizes.size(); ++i)
    largest[line_of(i)] = std::max(largest[line_of(i)], sizes[i]);
  std::vector<double> result{from};
  for (double size : largest) result.push_back(result.back() + size);
  return result;
}

}  // namespace

std::string heatmap_svg(const Heatmap& map) {
  check(map);
  const Range range = map.range ? *map.range : spread({&map});
  const Layout at = layout(map, 640, 44);
  const double bar = at.left + at.cells_wide + 22;
  const double bar_height = std::max(at.cells_high, 80.0);
  Svg svg;
  draw(svg, map, at, 0, 0, scale_of(range), true);
  svg.colour_bar(bar, at.top, bar_height, scale_of(range));
  return svg.file(std::max({at.width(), bar + colour_bar_width, title_width(map.title, 15)}),
                  std::max(at.height(), at.top + bar_height + at.bottom));
}

bool is_large(const Heatmap& map) {
  return std::max(map.row_count, map.column_count) > max_rectangles;
}

std::string heatmap_png(const Heatmap& map) {
  check(map);
  const int side = std::max(1, 400 / std::max(map.row_count, map.column_count));
  return cells_png(map, side, scale_of(map.range.value_or(spread({&map}))));
}

std::string heatmap_grid_svg(const Phrase& title, const std::vector<Heatmap>& maps, int columns) {
  if (maps.empty() || columns < 1) throw std::invalid_argument("heatmap_grid: nothing to show");
  for (const Heatmap& map : maps) check(map);
  const auto wide = static_cast<std::size_t>(columns);
  const std::vector<Range> ranges = ranges_of(maps);
  const bool one_bar = std::all_of(ranges.begin(), ranges.end(),
                                   [&](const Range& range) { return range == ranges[0]; });
  const bool shared = have_the_same_words(maps);
  const auto labelled = [&](std::size_t i) {
    return Labelled{!shared || i % wide == 0, !shared || i < wide};
  };
  std::vector<Layout> layouts;
  std::vector<double> widths, heights;
  for (std::size_t i = 0; i < maps.size(); ++i) {
    Layout at = layout(maps[i], panel_side(maps[i]) * (shared ? 1.1 : 1), 30);
    if (!labelled(i).rows) at.left = 12;
    if (!labelled(i).columns) at.top = maps[i].title.str().empty() ? 12 : 34;
    if (shared)  // the labels slant over the next map, or over the bar
      at.right = (i + 1) % wide != 0 ? 6 : std::max(6.0, at.right - colour_bar_width);
    if (!one_bar) at.right = std::max(at.right, 14 + colour_bar_width);
    layouts.push_back(at);
  }
  for (std::size_t i = 0; i < maps.size(); ++i) {  // aligns the tops of the maps in a row
    const std::size_t first = i / wide * wide, last = std::min(maps.size(), first + wide);
    for (std::size_t k = first; k < last; ++k)
      layouts[i].top = std::max(layouts[i].top, layouts[k].top);
    widths.push_back(std::max(layouts[i].width(), title_width(maps[i].title, 12)));
    heights.push_back(layouts[i].height() + 10);
  }
  const std::size_t across = std::min(wide, maps.size()), down = (maps.size() + wide - 1) / wide;
  const auto x = starts(
      widths, across, [&](std::size_t i) { return i % wide; }, 0);
  const auto y = starts(
      heights, down, [&](std::size_t i) { return i / wide; }, title.str().empty() ? 6 : 38);
  Svg svg;
  svg.text(8, 20, title, {.size = 16, .bold = true});
  for (std::size_t i = 0; i < maps.size(); ++i) {
    const Layout& at = layouts[i];
    const double left = x[i % wide], top = y[i / wide];
    draw(svg, maps[i], at, left, top, scale_of(ranges[i]), false, labelled(i));
    if (!one_bar)
      svg.colour_bar(left + at.left + at.cells_wide + 10, top + at.top, at.cells_high,
                     scale_of(ranges[i]));
  }
  const double bar_top = y[0] + layouts[0].top, label = 14;  // half a label hangs below the bar
  if (one_bar)
    svg.colour_bar(x.back() + 10, bar_top, std::min(200.0, y.back() - bar_top - label),
                   scale_of(ranges[0]));
  return svg.file(
      std::max(x.back() + (one_bar ? 10 + colour_bar_width : 0), title_width(title, 16)), y.back());
}

}  // namespace xf
