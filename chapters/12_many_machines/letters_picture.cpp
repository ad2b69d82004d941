#include "12_many_machines/letters_picture.hpp"

#include <algorithm>
#include <cmath>

#include "language/language.hpp"
#include "plot/svg.hpp"

namespace xf::many_machines {

namespace {

constexpr double left = 84, top = 84, column = 110, row = 54, seconds_a_step = 1.2;
constexpr double beside = 44, phase_width = 190;  // gap to the phases; width of the phases
constexpr const char *blue = "#2f63ad", *orange = "#c25403";

double x_of(int process) { return left + column * process; }
double y_of(int step) { return top + row * step; }

// Bands behind the steps, labelled with what happens in each.
void draw_phases(Svg& svg, const LettersTitle& said, int steps, double x, double right) {
  const int count = static_cast<int>(said.phases.size());
  for (int phase = 0; phase < count; ++phase) {
    const double y = y_of(steps * phase / count), end = y_of(steps * (phase + 1) / count);
    svg.rectangle(4, y, right - 8, end - y - 3, phase % 2 == 0 ? "#eef2f7" : "#f6f8fa");
    const auto& lines = said.phases[static_cast<std::size_t>(phase)];
    for (std::size_t line = 0; line < lines.size(); ++line)
      svg.text(x, (y + end) / 2 + 17 * (double(line) - (double(lines.size()) - 1) / 2), lines[line],
               {.bold = line == 0});
  }
}

void draw_legend(Svg& svg, double y) {
  svg.arrow(12, y, 46, y, blue);
  svg.text(54, y, words("a message, and how many numbers are in it").str());
  svg.circle(29, y + 20, 5, orange);
  svg.text(54, y + 20, words("the message on its way during its step").str());
}

}  // namespace

std::string letters_svg(std::span<const Letter> letters, int processes, const LettersTitle& said) {
  int steps = 0;
  std::size_t most = 1;
  for (const Letter& letter : letters) {
    steps = std::max(steps, letter.step + 1);
    most = std::max(most, letter.bytes);
  }
  const double phases = x_of(processes - 1) + beside;
  const double right = std::max(phases + phase_width, 24 + 15 * text_width(said.title));
  Svg svg;
  svg.text(8, 20, said.title, {.size = 15, .bold = true});
  draw_phases(svg, said, steps, phases, right);
  for (int p = 0; p < processes; ++p) {
    svg.line(x_of(p), top - 12, x_of(p), y_of(steps), "#888888");
    svg.text(x_of(p), top - 24, words("process {}", p).str(), {.anchor = "middle", .bold = true});
  }
  for (int s = 0; s < steps; ++s)
    svg.text(12, y_of(s) + row / 2, words("step {}", s + 1).str(), {.fill = "#555555"});
  const double film = seconds_a_step * (steps + 1);
  for (const Letter& letter : letters) {
    const double x1 = x_of(letter.from), x2 = x_of(letter.to);
    const double y1 = y_of(letter.step) + 4, y2 = y_of(letter.step + 1) - 4;
    svg.arrow(x1, y1, x2, y2, blue);
    const double radius = 3 + 5 * std::sqrt(double(letter.bytes) / double(most));
    svg.moving_dot({x1, y1, x2, y2}, radius, orange, seconds_a_step * letter.step,
                   seconds_a_step * (letter.step + 0.9), film);
    const std::string numbers = std::to_string(letter.bytes / sizeof(float));
    svg.text(x1 + 0.2 * (x2 - x1) + 8, y1 + 0.2 * (y2 - y1), numbers, {.fill = blue});
  }
  draw_legend(svg, y_of(steps) + 18);
  return svg.file(right, y_of(steps) + 56);
}

}  // namespace xf::many_machines
