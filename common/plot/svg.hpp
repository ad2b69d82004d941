#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "plot/scale.hpp"

namespace xf {

// `text` escaped for XML: & < > " ' as entities; bytes that are not UTF-8, and characters that XML
// does not allow, become U+FFFD.
std::string xml_text(std::string_view text);
// An estimate of the width of `text` in units of its font size: 1 for a Chinese character, 0.62
// for a Latin letter.
double text_width(std::string_view text);
// `text`, truncated to `width` of these units, with "…" where it was cut.
std::string shortened(std::string_view text, double width);

// "12.5": a coordinate with at most two decimals, in the same format in every locale.
std::string coordinate(double value);
// "0.001", "1e-05", "2500": a number with at most six significant digits.
std::string number(double value);

// About `wanted` round numbers inside [low, high], spaced 1, 2 or 5 times a power of ten apart.
std::vector<double> ticks(double low, double high, int wanted);
// The same for a logarithmic axis: powers of ten; if there are few of them, also two and five times
// each; within a single decade, evenly spaced numbers. low > 0.
std::vector<double> log_ticks(double low, double high, int wanted);
// Two to nine times each power of ten inside [low, high]: minor ticks without a number, which show
// that an axis is logarithmic. None within a single decade, and none where they would be too dense.
std::vector<double> log_marks(double low, double high);

struct TextStyle {
  double size = 12;
  const char* anchor = "start";  // or "middle", "end"
  double turn = 0;               // degrees, clockwise
  const char* fill = "#222222";
  bool bold = false;
};

// Collects the elements of one SVG file. The unit is pixels; y grows downwards.
class Svg {
 public:
  // `title` is shown on hover.
  void rectangle(double x, double y, double width, double height, const std::string& fill,
                 const std::string& title = "");
  // Between these two calls, edges are not antialiased, so that adjacent cells have no seams.
  void begin_sharp();
  void end_sharp();
  void frame(double x, double y, double width, double height);
  // A rectangle with a border and rounded corners.
  void box(double x, double y, double width, double height, const std::string& fill,
           const std::string& stroke, double radius = 6);
  void line(double x1, double y1, double x2, double y2, const std::string& stroke, double width = 1,
            const std::string& dashes = "");
  // A line with an arrowhead at (x2, y2).
  void arrow(double x1, double y1, double x2, double y2, const std::string& stroke = "#444444",
             const std::string& dashes = "");
  // Through the points (x, y); `points` is "x,y x,y ...".
  void polyline(const std::string& points, const std::string& stroke, const std::string& dashes);
  void circle(double x, double y, double radius, const std::string& fill,
              const std::string& title = "");
  // A circle that moves along a line from second `begin` to second `end` of an animation, which
  // repeats every `film` seconds; it is invisible at other times, and where animation is off.
  struct Way {
    double x1, y1, x2, y2;
  };
  void moving_dot(const Way& way, double radius, const std::string& fill, double begin, double end,
                  double film);
  // The text is vertically centred at y, for labels beside a tick or in a cell.
  void text(double x, double y, std::string_view content, const TextStyle& style = {});
  // A label preceded by its index in grey: "3 the".
  void label(double x, double y, int index, std::string_view content, const TextStyle& style);
  // `png` is the content of a PNG file; its pixels are scaled without smoothing.
  void image(double x, double y, double width, double height, std::string_view png);
  // A colour bar with the lowest number at the bottom and ticks on its right.
  void colour_bar(double x, double y, double height, const ColourScale& scale);

  // The whole file, on a white background.
  std::string file(double width, double height) const;

 private:
  std::string body_;
};

// The width of a colour bar including its ticks.
constexpr double colour_bar_width = 70;

}  // namespace xf
