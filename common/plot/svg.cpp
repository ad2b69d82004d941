#include "plot/svg.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "io/base64.hpp"
#include "io/utf8.hpp"
#include "tensor/portable_math.hpp"

namespace xf {

namespace {

constexpr char32_t replacement = 0xFFFD;

// The XML entity of a character.
struct Entity {
  char32_t sign;
  const char* text;
};
constexpr Entity entities[] = {
    {'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}};

double width_of(char32_t code) {
  if (code >= 0x300 && code < 0x370) return 0;  // combining marks
  return code >= 0x1100 ? 1.0 : 0.62;
}

std::string attribute(const char* name, double value) {
  return std::string(" ") + name + "=\"" + coordinate(value) + "\"";
}

std::string around(double x, double y, double width, double height) {
  return attribute("x", x) + attribute("y", y) + attribute("width", width) +
         attribute("height", height);
}

std::string text_start(double x, double y, const TextStyle& style) {
  const double baseline = y + 0.35 * style.size;
  std::string element = "<text" + attribute("x", x) + attribute("y", baseline) +
                        attribute("font-size", style.size) + " fill=\"" + style.fill + "\"";
  if (std::string_view(style.anchor) != "start")
    element += std::string(" text-anchor=\"") + style.anchor + "\"";
  if (style.bold) element += " font-weight=\"bold\"";
  if (style.turn != 0)
    element += " transform=\"rotate(" + coordinate(style.turn) + " " + coordinate(x) + " " +
               coordinate(y) + ")\"";
  return element + ">";
}

// The end of an element.
std::string ending(const std::string& element, const std::string& title) {
  return title.empty() ? "/>\n" : "><title>" + xml_text(title) + "</title></" + element + ">\n";
}

}  // namespace

std::string xml_text(std::string_view text) {
  std::string result;
  for_each_character(text, [&](char32_t code, std::string_view) {
    const bool control = code < 0x20 && code != '\t' && code != '\n' && code != '\r';
    const Entity* entity = std::ranges::find(entities, code, &Entity::sign);
    if (entity != std::end(entities))
      result += entity->text;
    else
      append_code_point(result, control || code >> 1 == 0x7FFF ? replacement : code);
  });
  return result;
}

double text_width(std::string_view text) {
  double width = 0;
  for_each_character(text, [&](char32_t code, std::string_view) { width += width_of(code); });
  return width;
}

std::string shortened(std::string_view text, double width) {
  if (text_width(text) <= width) return std::string(text);
  std::string kept;
  double used = 0.6;
  for_each_character(text, [&](char32_t code, std::string_view bytes) {
    used += width_of(code);
    if (used <= width) kept += bytes;
  });
  return kept + "…";
}

std::string coordinate(double value) {
  char text[64];
  const double rounded = std::round(value * 100) / 100 + 0.0;  // + 0.0: no "-0"
  return {text, std::to_chars(text, text + sizeof text, rounded).ptr};
}

std::string number(double value) {
  char text[64];
  const auto end =
      std::to_chars(text, text + sizeof text, value + 0.0, std::chars_format::general, 6);
  return {text, end.ptr};
}

std::vector<double> ticks(double low, double high, int wanted) {
  const double rough = (high - low) / wanted;
  const double power = portable::pow(10, portable::floor_log10(rough));
  double step = 10 * power;
  for (double factor : {5.0, 2.0, 1.0})
    if (factor * power >= rough * 0.999) step = factor * power;
  const double slack = 1e-9 * (high - low);
  const double first = std::ceil((low - slack) / step);
  std::vector<double> result;
  for (int i = 0; i <= 2 * wanted && (first + i) * step <= high + slack; ++i)
    result.push_back((first + i) * step + 0.0);  // + 0.0: no "-0"
  return result;
}

std::vector<double> log_ticks(double low, double high, int wanted) {
  const double decades = portable::log(high / low) / portable::log(10);
  const int every = 1 + static_cast<int>(decades / (wanted + 1));
  const int first =
      static_cast<int>(std::floor(double(portable::floor_log10(low)) / every)) * every;
  const int last = portable::floor_log10(high) + 1;
  std::vector<double> result;
  for (int power = first; power <= last; power += every)
    for (double factor : {1.0, 2.0, 5.0}) {
      if (factor > 1 && decades > 2.5) continue;
      const double value = factor * portable::pow(10, power);
      if (value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9)) result.push_back(value);
    }
  return result.size() < 4 && decades < 1 ? ticks(low, high, wanted) : result;
}

std::vector<double> log_marks(double low, double high) {
  std::vector<double> result;
  if (high / low < 10 || high / low > 1e8) return result;
  for (int power = portable::floor_log10(low); portable::pow(10, power) < high; ++power)
    for (int factor = 2; factor < 10; ++factor) {
      const double value = factor * portable::pow(10, power);
      if (value >= low && value <= high) result.push_back(value);
    }
  return result;
}

void Svg::rectangle(double x, double y, double width, double height, const std::string& fill,
                    const std::string& title) {
  body_ += "<rect" + around(x, y, width, height) + " fill=\"" + fill + "\"" + ending("rect", title);
}

void Svg::begin_sharp() { body_ += "<g shape-rendering=\"crispEdges\">\n"; }

void Svg::end_sharp() { body_ += "</g>\n"; }

void Svg::frame(double x, double y, double width, double height) {
  body_ += "<rect" + around(x, y, width, height) + " fill=\"none\" stroke=\"#888888\"/>\n";
}

void Svg::line(double x1, double y1, double x2, double y2, const std::string& stroke, double width,
               const std::string& dashes) {
  body_ += "<line" + attribute("x1", x1) + attribute("y1", y1) + attribute("x2", x2) +
           attribute("y2", y2) + " stroke=\"" + stroke + "\"" + attribute("stroke-width", width) +
           (dashes.empty() ? "" : " stroke-dasharray=\"" + dashes + "\"") + "/>\n";
}

void Svg::box(double x, double y, double width, double height, const std::string& fill,
              const std::string& stroke, double radius) {
  body_ += "<rect" + around(x, y, width, height) +
           (radius > 0 ? attribute("rx", radius) : std::string()) + " fill=\"" + fill +
           "\" stroke=\"" + stroke + "\"/>\n";
}

void Svg::arrow(double x1, double y1, double x2, double y2, const std::string& stroke,
                const std::string& dashes) {
  constexpr double long_side = 9, half_side = 4;  // of the tip
  const double length =
      std::max(std::sqrt(portable::square(x2 - x1) + portable::square(y2 - y1)), 1e-9);
  const double along_x = (x2 - x1) / length, along_y = (y2 - y1) / length;
  const double x = x2 - long_side * along_x, y = y2 - long_side * along_y;
  line(x1, y1, x, y, stroke, 1.5, dashes);
  const auto point = [](double at_x, double at_y) {
    return coordinate(at_x) + "," + coordinate(at_y);
  };
  body_ += "<polygon points=\"" + point(x2, y2) + " " +
           point(x - half_side * along_y, y + half_side * along_x) + " " +
           point(x + half_side * along_y, y - half_side * along_x) + "\" fill=\"" + stroke +
           "\"/>\n";
}

void Svg::polyline(const std::string& points, const std::string& stroke,
                   const std::string& dashes) {
  body_ += "<polyline points=\"" + points + "\" fill=\"none\" stroke=\"" + stroke +
           "\" stroke-width=\"1.6\" stroke-linejoin=\"round\"" +
           (dashes.empty() ? "" : " stroke-dasharray=\"" + dashes + "\"") + "/>\n";
}

void Svg::circle(double x, double y, double radius, const std::string& fill,
                 const std::string& title) {
  body_ += "<circle" + attribute("cx", x) + attribute("cy", y) + attribute("r", radius) +
           " fill=\"" + fill + "\"" + ending("circle", title);
}

void Svg::moving_dot(const Way& way, double radius, const std::string& fill, double begin,
                     double end, double film) {
  // `more`: the last key time, if there is one, and the attributes after the key times
  const auto animate = [&](const char* name, const std::string& values, const char* more) {
    return "<animate attributeName=\"" + std::string(name) + "\" values=\"" + values +
           "\" keyTimes=\"0;" + number(begin / film) + ";" + number(end / film) + more + " dur=\"" +
           number(film) + "s\" repeatCount=\"indefinite\"/>";
  };
  const auto moves = [&](const char* name, double from, double to) {
    const std::string start = coordinate(from), stop = coordinate(to);
    return animate(name, start + ";" + start + ";" + stop + ";" + stop, ";1\"");
  };
  body_ += "<circle" + attribute("cx", way.x1) + attribute("cy", way.y1) + attribute("r", radius) +
           " fill=\"" + fill + "\" opacity=\"0\">" + moves("cx", way.x1, way.x2) +
           moves("cy", way.y1, way.y2) + animate("opacity", "0;1;0", "\" calcMode=\"discrete\"") +
           "</circle>\n";
}

void Svg::text(double x, double y, std::string_view content, const TextStyle& style) {
  body_ += text_start(x, y, style) + xml_text(content) + "</text>\n";
}

void Svg::label(double x, double y, int index, std::string_view content, const TextStyle& style) {
  body_ += text_start(x, y, style) + "<tspan fill=\"#767676\">" + std::to_string(index) +
           "</tspan>" + (content.empty() ? "" : " " + xml_text(content)) + "</text>\n";
}

void Svg::image(double x, double y, double width, double height, std::string_view png) {
  body_ += "<image" + around(x, y, width, height) +
           " preserveAspectRatio=\"none\" "
           "style=\"image-rendering:pixelated\""
           " href=\"data:image/png;base64," +
           base64(png) + "\"/>\n";
}

void Svg::colour_bar(double x, double y, double height, const ColourScale& scale) {
  constexpr int steps = 64;
  const double low = scale.low, high = scale.high;
  const double step = height / steps;
  begin_sharp();
  for (int i = 0; i < steps; ++i)  // from the top, overlapping slightly: no seams
    rectangle(x, y + i * step, 12, std::min(step + 0.5, height - i * step),
              hex(scale(static_cast<float>(low + (high - low) * (steps - i - 0.5) / steps))));
  end_sharp();
  frame(x, y, 12, height);
  for (double tick : ticks(low, high, height < 150 ? 3 : 5)) {
    const double at = y + height * (high - tick) / (high - low);
    line(x + 12, at, x + 16, at, "#888888");
    text(x + 19, at, number(tick));
  }
}

std::string Svg::file(double width, double height) const {
  const std::string w = coordinate(std::ceil(width)), h = coordinate(std::ceil(height));
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + w + "\" height=\"" + h +
         "\" viewBox=\"0 0 " + w + " " + h +
         "\" font-family=\"Helvetica, Arial, 'DejaVu Sans', 'Noto Sans', 'Noto Sans CJK SC', "
         "'PingFang SC', 'Microsoft YaHei', 'WenQuanYi Micro Hei', sans-serif\">\n"
         "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n" +
         body_ + "</svg>\n";
}

}  // namespace xf
