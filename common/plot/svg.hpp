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
// `text`, cut after `width` of these units with "…" in its place.
std::string shortened(std::string_view text, double width);

// "12.5": a coordinate with at most two decimals, the same in every locale.
std::string coordinate(double value);
// "0.001", "1e-05", "2500": a number with at most six digits.
std::string number(double value);

// About `wanted` round numbers (1, 2 or 5 times a power of ten apart) inside [low, high].
std::vector<double> ticks(double low, double high, int wanted);
// The same for a logarithmic axis: powers of ten, also two and five times these when there are few,
// and evenly spaced numbers within a decade. low > 0.
std::vector<double> log_ticks(double low, double high, int wanted);
// Two to nine times each power of ten inside [low, high]: marks without a number, which show that
// an axis is logarithmic. None within a decade, and none where they would run together.
std::vector<double> log_marks(double low, double high);

struct TextStyle {
  double size = 12;
  const char* anchor = "start";  // or "middle", "end"
  double turn = 0;               // degrees, clockwise
  const char* fill = "#222222";
  bool bold = false;
};

// Collects the elements of one SVG file, in units of pixels; y grows downwards.
class Svg {
 public:
  // `title` is shown on hover.
  void rectangle(double x, double y, double width, double height, const std::string& fill,
                 const std::string& title = "");
  // Between these two calls, edges are drawn without smoothing: adjacent cells have no seams.
  void begin_sharp();
  void end_sharp();
  void frame(double x, double y, double width, double height);
  // With an edge, and corners of this radius.
  void box(double x, double y, double width, double height, const std::string& fill,
           const std::string& stroke, double radius = 6);
  void line(double x1, double y1, double x2, double y2, const std::string& stroke, double width = 1,
            const std::string& dashes = "");
  // A line whose tip is at (x2, y2).
  void arrow(double x1, double y1, double x2, double y2, const std::string& stroke,
             const std::string& dashes = "");
  // Through the points (x, y); `points` is "x,y x,y ...".
  void polyline(const std::string& points, const std::string& stroke, const std::string& dashes);
  void circle(double x, double y, double radius, const std::string& fill,
              const std::string& title = "");
  // A circle that moves along a line from second `begin` to second `end` of an animation, which
  // repeats after `film` seconds; at other times, and where animation is off, there is none.
  struct Way {
    double x1, y1, x2, y2;
  };
  void moving_dot(const Way& way, double radius, const std::string& fill, double begin, double end,
                  double film);
  // The middle of the text's height is at y, for labels beside a tick or in a cell.
  void text(double x, double y, std::string_view content, const TextStyle& style = {});
  // A label with its index in grey before it: "3 the".
  void label(double x, double y, int index, std::string_view content, const TextStyle& style);
  // A PNG file's bytes; its pixels stay sharp squares.
  void image(double x, double y, double width, double height, std::string_view png);
  // A colour bar, the lowest number at the bottom, with ticks at its right.
  void colour_bar(double x, double y, double height, const ColourScale& scale);

  // The whole file, on a white background.
  std::string file(double width, double height) const;

 private:
  std::string body_;
};

// How far a colour bar with its ticks reaches to the right.
constexpr double colour_bar_width = 70;

}  // namespace xf
