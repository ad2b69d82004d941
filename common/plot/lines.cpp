#include "plot/lines.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "plot/svg.hpp"
#include "tensor/portable_math.hpp"

namespace xf {

namespace {

// Okabe and Ito, 2008: distinguishable with any type of colour vision. Their yellow is left out,
// because it is too pale on white. From the eighth series on, the colours repeat with dashes.
constexpr std::array<const char*, 7> colours = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                "#e69f00", "#56b4e9", "#000000"};
constexpr double name_height = 18;
constexpr std::array<const char*, 4> dashes = {"", "7 4", "2 3", "9 3 2 3"};

struct Look {
  const char *colour, *dashes;
};
std::vector<Look> looks_of(const std::vector<Series>& all) {
  std::vector<Look> looks;
  std::size_t number = 0;  // of the colour
  for (const Series& series : all) {
    const bool paired = series.beside_previous && number > 0;
    if (!paired) ++number;
    const std::size_t place = number - 1,
                      row = place / colours.size() + (paired || series.dashed ? 1 : 0);
    looks.push_back({colours[place % colours.size()], dashes[row % dashes.size()]});
  }
  return looks;
}

// One axis: maps numbers to pixels.
struct Axis {
  bool logarithmic = false;
  double low = std::numeric_limits<double>::infinity(), high = -low;
  double first_pixel = 0, last_pixel = 1;

  // Values outside what an axis can span (beyond 1e300) are left out, as infinite ones are.
  bool shows(double value) const {
    return std::abs(value) < 1e300 && (!logarithmic || value > 1e-300);
  }
  void include(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  // Adds a small margin, so that no line runs along the frame.
  void widen(double share) {
    if (low > high) low = logarithmic ? 1 : 0, high = logarithmic ? 10 : 1;
    if (logarithmic) {
      const double factor = low == high ? 2 : portable::pow(high / low, share);
      low /= factor, high *= factor;
    } else {
      const double air = low == high ? std::max(1.0, std::abs(low)) / 2 : share * (high - low);
      low -= air, high += air;
    }
  }
  double pixel(double value) const {
    const double fraction = logarithmic ? portable::log(value / low) / portable::log(high / low)
                                        : (value - low) / (high - low);
    return first_pixel + fraction * (last_pixel - first_pixel);
  }
  std::vector<double> marks(int wanted) const {
    return logarithmic ? log_ticks(low, high, wanted) : ticks(low, high, wanted);
  }
  std::vector<double> small_marks() const {
    return logarithmic ? log_marks(low, high) : std::vector<double>{};
  }
};

struct Axes {
  Axis x, y;
  bool shows(double at_x, double at_y) const { return x.shows(at_x) && y.shows(at_y); }
};

Axes axes_of(const LineChart& chart) {
  Axes axes;
  axes.x.logarithmic = chart.log_x;
  axes.y.logarithmic = chart.log_y;
  for (const Series& series : chart.series)
    for (std::size_t i = 0; i < series.x.size(); ++i)
      if (axes.shows(series.x[i], series.y[i])) {
        axes.x.include(series.x[i]);
        axes.y.include(series.y[i]);
      }
  axes.x.widen(0.02);
  axes.y.widen(0.05);
  return axes;
}

// One unbroken piece of a line. Of the points in one column of pixels, only the first, the lowest,
// the highest and the last are kept: the picture is the same.
class Stroke {
 public:
  void add(double x, double y) {
    if (empty_ || std::floor(x) != std::floor(x_)) flush(), start(x, y);
    x_ = x, last_ = y;
    low_ = std::min(low_, y), high_ = std::max(high_, y);
  }
  // The points so far, for Svg::polyline; begins a new stroke.
  std::string take() {
    flush();
    empty_ = true;
    return std::exchange(points_, "");
  }

 private:
  void start(double x, double y) {
    point(x, y);
    x_ = x, low_ = high_ = last_ = y, first_ = y, empty_ = false;
  }
  void flush() {
    if (empty_) return;
    if (low_ < std::min(first_, last_)) point(x_, low_);
    if (high_ > std::max(first_, last_)) point(x_, high_);
    if (last_ != first_) point(x_, last_);
  }
  void point(double x, double y) { points_ += coordinate(x) + "," + coordinate(y) + " "; }

  std::string points_;
  bool empty_ = true;
  double x_ = 0, first_ = 0, low_ = 0, high_ = 0, last_ = 0;
};

void draw_series(Svg& svg, const Series& series, const Axes& axes, const Look& look) {
  const bool with_points = series.x.size() <= 40;
  Stroke stroke;
  const auto finish = [&] {
    if (const std::string points = stroke.take(); !points.empty())
      svg.polyline(points, look.colour, look.dashes);
  };
  for (std::size_t i = 0; i < series.x.size(); ++i) {
    if (!axes.shows(series.x[i], series.y[i])) {
      finish();
      continue;
    }
    const double x = axes.x.pixel(series.x[i]), y = axes.y.pixel(series.y[i]);
    stroke.add(x, y);
    if (with_points) svg.circle(x, y, series.dashed ? 1.8 : 3, look.colour);
  }
  finish();
}

void draw_axes(Svg& svg, const Axes& axes) {
  const double left = axes.x.first_pixel, right = axes.x.last_pixel;
  const double bottom = axes.y.first_pixel, top = axes.y.last_pixel;
  for (double value : axes.y.marks(6)) {
    const double y = axes.y.pixel(value);
    svg.line(left, y, right, y, "#e4e4e4");
    svg.text(left - 7, y, number(value), {.anchor = "end"});
  }
  for (double value : axes.y.small_marks()) {
    const double y = axes.y.pixel(value);
    svg.line(left, y, left + 4, y, "#888888");
  }
  for (double value : axes.x.marks(7)) {
    const double x = axes.x.pixel(value);
    svg.line(x, bottom, x, bottom + 5, "#888888");
    svg.text(x, bottom + 14, number(value), {.anchor = "middle"});
  }
  for (double value : axes.x.small_marks()) {
    const double x = axes.x.pixel(value);
    svg.line(x, bottom - 4, x, bottom, "#888888");
  }
  svg.frame(left, top, right - left, bottom - top);
}

// Where a series ends, and the height of its name beside it.
struct Ending {
  std::size_t series;
  double x, y, name;
};

// From top to bottom. The names are at least a line apart, and within the frame if they all fit.
std::vector<Ending> endings_of(const LineChart& chart, const Axes& axes) {
  std::vector<Ending> all;
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    const Series& series = chart.series[i];
    Ending ending{i, axes.x.last_pixel, axes.y.first_pixel, 0};
    for (std::size_t k = 0; k < series.x.size(); ++k)
      if (axes.shows(series.x[k], series.y[k]))
        ending.x = axes.x.pixel(series.x[k]), ending.y = axes.y.pixel(series.y[k]);
    all.push_back(ending);
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Ending& one, const Ending& other) { return one.y < other.y; });
  double free = axes.y.last_pixel + 8;
  for (Ending& one : all) free = (one.name = std::max(one.y, free)) + name_height;
  double last =
      std::max(axes.y.first_pixel, axes.y.last_pixel + 8 + name_height * (double(all.size()) - 1));
  for (auto one = all.rbegin(); one != all.rend(); ++one)
    last = (one->name = std::min(one->name, last)) - name_height;
  return all;
}

// Puts each name at the end of its line, so that a series can be identified without its colour.
void draw_names(Svg& svg, const LineChart& chart, const Axes& axes, double x) {
  const std::vector<Look> looks = looks_of(chart.series);
  for (const Ending& one : endings_of(chart, axes)) {
    const Look& look = looks[one.series];
    svg.line(one.x + 4, one.y, x - 2, one.name, "#c5ccd3");
    svg.polyline(coordinate(x) + "," + coordinate(one.name) + " " + coordinate(x + 24) + "," +
                     coordinate(one.name),
                 look.colour, look.dashes);
    svg.text(x + 30, one.name, shortened(chart.series[one.series].name, 40));
  }
}

double names_width(const LineChart& chart) {
  double width = 0;
  for (const Series& series : chart.series)
    width = std::max(width, 12 * text_width(shortened(series.name, 40)));
  return width == 0 ? 0 : width + 50;
}

double tick_label_width(const Axis& axis) {
  double width = 0;
  for (double value : axis.marks(6)) width = std::max(width, 12 * text_width(number(value)));
  return width;
}

}  // namespace

std::string line_chart_svg(const LineChart& chart) {
  for (const Series& series : chart.series)
    if (series.x.size() != series.y.size())
      throw std::invalid_argument("line_chart: " + series.name.str() + " has " +
                                  std::to_string(series.x.size()) + " x, " +
                                  std::to_string(series.y.size()) + " y");
  Axes axes = axes_of(chart);
  axes.x.first_pixel = 36 + tick_label_width(axes.y);
  axes.x.last_pixel = std::max(axes.x.first_pixel + 100, chart.width - 20 - names_width(chart));
  axes.y.last_pixel = 40;
  axes.y.first_pixel = chart.height - 48;
  const double names = axes.x.last_pixel + 22;
  const double width = std::max(
      {double(chart.width), names + names_width(chart), 16 + 15 * text_width(chart.title)});
  Svg svg;
  draw_axes(svg, axes);
  const std::vector<Look> looks = looks_of(chart.series);
  for (std::size_t i = 0; i < chart.series.size(); ++i)
    draw_series(svg, chart.series[i], axes, looks[i]);
  if (names_width(chart) > 0) draw_names(svg, chart, axes, names);
  svg.text(8, 20, chart.title, {.size = 15, .bold = true});
  svg.text((axes.x.first_pixel + axes.x.last_pixel) / 2, chart.height - 14, chart.x_title,
           {.size = 13, .anchor = "middle"});
  svg.text(14, (axes.y.first_pixel + axes.y.last_pixel) / 2, chart.y_title,
           {.size = 13, .anchor = "middle", .turn = -90});
  return svg.file(width, std::max<double>(chart.height, 60 + 20.0 * double(chart.series.size())));
}

}  // namespace xf
