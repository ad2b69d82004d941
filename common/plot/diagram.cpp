#include "plot/diagram.hpp"

#include <algorithm>

namespace xf {

namespace {

constexpr double margin = 20, title_size = 16;

}  // namespace

Diagram::Diagram(const Phrase& title, double width, double height)
    : width_(std::max(width, 2 * margin + title_size * text_width(title))), height_(height) {
  text(margin, 24, title, {.size = title_size, .bold = true});
}

void Diagram::text(double x, double y, const Phrase& content, const TextStyle& style) {
  if (!content.str().empty()) Svg::text(x, y, content, style);
}

void Diagram::box(double x, double y, double width, double height, const Ink& ink,
                  const std::vector<Phrase>& lines) {
  Svg::box(x, y, width, height, ink.fill, ink.line);
  const double apart = 17, first = y + height / 2 - apart * double(lines.size() - 1) / 2;
  for (std::size_t i = 0; i < lines.size(); ++i)
    text(x + width / 2, first + apart * double(i), lines[i],
         {.size = i == 0 ? 14.0 : 12.5,
          .anchor = "middle",
          .fill = i == 0 ? "#222222" : ink.line,
          .bold = i == 0});
}

void Diagram::circle(double x, double y, double radius, const Ink& ink) {
  Svg::circle(x, y, radius, ink.line);
  Svg::circle(x, y, radius - 1, ink.fill);
}

void Diagram::grid(const Grid& grid) {
  const double middle = grid.x + grid.width() / 2;
  text(middle, grid.y - 16, grid.name, {.size = 14, .anchor = "middle", .bold = true});
  for (int row = 0; row < grid.rows; ++row)
    for (int column = 0; column < grid.columns; ++column) {
      const Cell cell = grid.cell(row, column);
      const double x = grid.x + column * grid.cell_width, y = grid.y + row * grid.cell_height;
      Svg::box(x, y, grid.cell_width, grid.cell_height, cell.fill, cell.edge, 0);
      text(x + grid.cell_width / 2, y + grid.cell_height / 2, cell.text,
           {.anchor = "middle", .fill = cell.colour});
    }
  text(middle, grid.y + grid.height() + 16, grid.shape, {.anchor = "middle", .fill = "#555555"});
}

}  // namespace xf
