#include "12_many_machines/letters_picture.hpp"

#include <algorithm>
#include <cmath>

#include "plot/svg.hpp"
#include "speech/language.hpp"

namespace xf::many_machines {

namespace {

constexpr double left = 80, top = 46, column = 110, row = 54, seconds_a_step = 1.2;

double x_of(int process) { return left + column * process; }
double y_of(int step) { return top + row * step; }

}  // namespace

std::string letters_svg(std::span<const Letter> letters, int processes) {
  int steps = 0;
  std::size_t most = 1;
  for (const Letter& letter : letters) {
    steps = std::max(steps, letter.step + 1);
    most = std::max(most, letter.bytes);
  }
  Svg svg;
  for (int p = 0; p < processes; ++p) {
    svg.line(x_of(p), top - 12, x_of(p), y_of(steps), "#bbbbbb");
    svg.text(x_of(p), top - 24, words("process {}", p).str(), {.anchor = "middle", .bold = true});
  }
  for (int s = 0; s < steps; ++s)
    svg.text(12, y_of(s) + row / 2, words("step {}", s + 1).str(), {.fill = "#767676"});
  const double film = seconds_a_step * (steps + 1);
  for (const Letter& letter : letters) {
    const double x1 = x_of(letter.from), x2 = x_of(letter.to);
    const double y1 = y_of(letter.step) + 4, y2 = y_of(letter.step + 1) - 4;
    svg.arrow(x1, y1, x2, y2, "#3b6fb6");
    const double radius = 3 + 5 * std::sqrt(double(letter.bytes) / double(most));
    svg.moving_dot({x1, y1, x2, y2}, radius, "#c8553d", seconds_a_step * letter.step,
                   seconds_a_step * (letter.step + 0.9), film);
    const std::string numbers = std::to_string(letter.bytes / sizeof(float));
    svg.text(x1 + 0.2 * (x2 - x1) + 8, y1 + 0.2 * (y2 - y1), numbers,
             {.size = 10, .fill = "#3b6fb6"});
  }
  return svg.file(left + column * (processes - 1) + 60, y_of(steps) + 16);
}

}  // namespace xf::many_machines
