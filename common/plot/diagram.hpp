#pragma once

#include <functional>
#include <string>
#include <vector>

#include "language/language.hpp"
#include "plot/svg.hpp"

namespace xf {

// The colours of a group: one for edges and text, one for the fill.
struct Ink {
  const char *line, *fill;
};
namespace ink {
inline constexpr Ink blue{"#2f63ad", "#d9e2f1"}, orange{"#c25403", "#f9dfc9"},
    green{"#17706c", "#cfe6e5"}, violet{"#6a22d8", "#e6dafb"}, grey{"#767676", "#f1f1f1"},
    gold{"#94740f", "#f5ecd3"};
}  // namespace ink

// Boxes, arrows and small matrices of numbers. Empty texts are not drawn.
class Diagram : Svg {
 public:
  Diagram(const Phrase& title, double width, double height);

  void text(double x, double y, const Phrase& content, const TextStyle& style = {});
  // Lines of text centred in a box, the first one bold.
  void box(double x, double y, double width, double height, const Ink& ink,
           const std::vector<Phrase>& lines);
  using Svg::arrow, Svg::line;
  void circle(double x, double y, double radius, const Ink& ink);

  // A cell of a matrix: its text and its colours.
  struct Cell {
    std::string text = {};
    std::string fill = ink::grey.fill;
    const char* colour = "#222222";
    const char* edge = ink::grey.line;
  };
  struct Grid {
    double x, y, cell_width, cell_height;
    int rows, columns;
    std::function<Cell(int row, int column)> cell;
    Phrase name = {}, shape = {};  // above the matrix and below it
    double width() const { return columns * cell_width; }
    double height() const { return rows * cell_height; }
  };
  void grid(const Grid& grid);

  std::string file() const { return Svg::file(width_, height_); }

 private:
  double width_, height_;
};

}  // namespace xf
