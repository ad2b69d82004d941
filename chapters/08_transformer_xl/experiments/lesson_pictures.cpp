// Lesson 8: the shift (section 1), and how far a memory reaches (sections 3 and 6).

#include <algorithm>
#include <cmath>

#include "08_transformer_xl/baselines/any_stack.hpp"
#include "08_transformer_xl/experiments/lesson.hpp"
#include "plot/diagram.hpp"
#include "plot/scale.hpp"
#include "plot/viridis.hpp"
#include "speech/show.hpp"

namespace xf::lesson_08 {
namespace {

constexpr int segments = 3, segment = 4;

// h^0 … h^N of every segment; the model reads the segments in order.
std::vector<std::vector<Tensor>> states_of(const AnySegmentModel& model,
                                           const std::vector<std::int32_t>& text) {
  std::vector<std::vector<Tensor>> all;
  Memory memory = model.start();
  for (int s = 0; s < segments; ++s) {
    const auto part = std::span(text).subspan(std::size_t(s * segment), segment);
    Recorder recorder({"output"});
    model.hidden(Ids({1, segment}, part), memory);
    all.push_back({memory.layers[0].states});
    for (const Tensor& h : recorder.all("layers.*.output")) all.back().push_back(h);
  }
  return all;
}

// A fresh model of two layers with a memory of this many states.
AnySegmentModel fresh_model(int memory, std::uint64_t seed) {
  Random random(seed, 10);
  return AnySegmentModel({.vocabulary = 8,
                          .d_model = 16,
                          .d_ff = 32,
                          .heads = 2,
                          .layers = 2,
                          .segment = segment,
                          .memory = memory,
                          .dropout = 0,
                          .attention_dropout = 0},
                         random);
}

// The inputs of a layer from which the outputs at these positions were computed: the last `memory`
// positions before each one's segment, and those from the segment's start up to its own.
std::vector<bool> read_by(const std::vector<bool>& outputs, int memory) {
  std::vector<bool> inputs(outputs.size(), false);
  for (int at = 0; at < static_cast<int>(outputs.size()); ++at)
    if (outputs[std::size_t(at)])
      for (int from = std::max(0, at / segment * segment - memory); from <= at; ++from)
        inputs[std::size_t(from)] = true;
  return inputs;
}

// A matrix of square cells with its upper left corner at (x, y).
void draw_matrix(Diagram& diagram, double x, double y, double side, const Tensor& matrix,
                 const std::function<Diagram::Cell(int row, int column)>& cell) {
  diagram.grid({.x = x,
                .y = y,
                .cell_width = side,
                .cell_height = side,
                .rows = matrix.size(2),
                .columns = matrix.size(3),
                .cell = cell});
}

}  // namespace

void draw_shift(const Tensor& x, const Tensor& y, const Mask& mask, const CommonOptions& options) {
  const int t = x.size(2), s = x.size(3), m = s - t;
  const std::vector<float> before = x.values(), after = y.values();
  const std::vector<std::int32_t> allowed = mask.allowed().values();
  const auto two = [](float value) {
    const std::string text = fixed(value, 0);
    return text.size() < 2 ? "0" + text : text;
  };
  const auto cell = [&](float value, int distance) -> Diagram::Cell {
    const float share = static_cast<float>(s - 1 - distance) / static_cast<float>(s - 1);
    return {.text = two(value),
            .fill = hex(viridis(share)),
            .colour = share < 0.6f ? "#ffffff" : "#000000",
            .edge = "#ffffff"};
  };
  Diagram diagram(
      words("The shift: scores by distance become scores by key (T = {}, M = {}, S = {})", t, m, s),
      860, 330);
  constexpr double side = 46, top = 130, left = 90, right = 560;
  draw_matrix(diagram, left, top, side, x, [&](int i, int c) {
    return cell(before[static_cast<std::size_t>(i * s + c)], s - 1 - c);
  });
  draw_matrix(diagram, right, top, side, y, [&](int i, int j) -> Diagram::Cell {
    const auto at = static_cast<std::size_t>(i * s + j);
    if (!allowed[at]) return {.text = fixed(after[at], 0), .colour = ink::grey.line};
    return cell(after[at], m + i - j);
  });
  const TextStyle heading{.size = 14, .anchor = "middle", .bold = true};
  const TextStyle note{.anchor = "middle", .fill = "#555555"};
  diagram.text(left + side * s / 2, 66, "by distance", heading);
  diagram.text(right + side * s / 2, 66, "by key", heading);
  for (int c = 0; c < s; ++c) {
    diagram.text(left + side * (c + 0.5), 114, "d=" + std::to_string(s - 1 - c), note);
    diagram.text(right + side * (c + 0.5), 114, words("key {}", c), note);
  }
  for (int i = 0; i < t; ++i)
    for (const double edge : {left, right})
      diagram.text(edge - 8, top + side * (i + 0.5), words("query {}", i), {.anchor = "end"});
  const double border = right + side * m, bottom = top + side * t;
  diagram.line(border, 92, border, bottom + 10, "#c00000", 2, "5 4");
  diagram.text(right + side * m / 2, 92, "memory", {.anchor = "middle", .fill = "#c00000"});
  diagram.text(border + side * t / 2, 92, "segment", note);
  diagram.arrow(left + side * s + 14, top + side * t / 2, right - 68, top + side * t / 2);
  const double between = (left + side * s + right - 54) / 2;
  diagram.text(between, top + side * t / 2 - 30, "row i moves left", note);
  diagram.text(between, top + side * t / 2 - 13, "by T - 1 - i", note);
  diagram.text(20, bottom + 38,
               "Each colour is one distance: a column before, a diagonal after. Grey cells are the "
               "future, garbage that the mask hides.",
               {.size = 12.5});
  write_picture(options, "shift.svg", diagram.file());
}

void draw_terms(const RelativeTerms& terms, const CommonOptions& options) {
  const int t = terms.a.size(2), s = terms.a.size(3), m = s - t;
  Diagram diagram(words("The four terms of the score (T = {}, M = {}, S = {})", t, m, s), 1010,
                  310);
  constexpr double side = 42, top = 120, left = 30, across = 245;
  const auto draw = [&](int number, const Words& name, const Words& depends, const Tensor& term) {
    const std::vector<float> values = term.values();
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    const ColourScale colour(*least, *most);
    const double x = left + across * number;
    draw_matrix(diagram, x, top, side, term, [&](int i, int j) -> Diagram::Cell {
      if (j > m + i) return {.text = "", .colour = ink::grey.line};
      const float value = values[static_cast<std::size_t>(i * s + j)];
      const bool dark = std::abs(value) > 0.6f * colour.high;
      return {.text = fixed(value, 1),
              .fill = hex(colour(value)),
              .colour = dark ? "#ffffff" : "#000000",
              .edge = "#bbbbbb"};
    });
    const double middle = x + side * s / 2;
    diagram.text(middle, 76, name, {.size = 14, .anchor = "middle", .bold = true});
    diagram.text(middle, 98, depends, {.size = 12.5, .anchor = "middle", .fill = "#555555"});
  };
  draw(0, "(a)  q · k", "query and key", terms.a);
  draw(1, "(b)  q · W_kR R", "query and distance", terms.b);
  draw(2, "(c)  u · k", "key only: equal columns", terms.c);
  draw(3, "(d)  v · W_kR R", "distance only: equal diagonals", terms.d);
  diagram.text(left, top + side * t + 40,
               "A row is a query, a column a key. Red is negative, blue positive, and a stronger "
               "colour means a larger value within its term. Grey cells are the future.",
               {.size = 12.5});
  write_picture(options, "terms.svg", diagram.file());
}

void draw_reach(const CommonOptions& options) {
  say("How far does it reach? Give a fresh two-layer model three segments, change the first word "
      "of segment 1, and see which states change. With each layer, the change reaches one segment "
      "further:");
  const AnySegmentModel model = fresh_model(segment, options.seed);
  std::vector<std::int32_t> text;
  for (int i = 0; i < segments * segment; ++i) text.push_back(4 + i % 4);
  const auto usual = states_of(model, text);
  text[0] = 3;
  const auto changed = states_of(model, text);
  const std::vector<Ink> inks = {ink::blue, ink::orange, ink::green};
  Diagram diagram("The memory over three segments: read, but gradients stop there", 900, 430);
  constexpr double width = 200, height = 54, across = 270, up = 108;
  const auto left = [](int s) { return 40 + across * s; };
  const auto top = [](int n) { return 330 - up * n; };
  Table table({"moved by, at most", "segment 1", "segment 2", "segment 3"});
  for (int n = 0; n <= 2; ++n) {
    std::vector<Phrase> row = {"h^" + std::to_string(n)};
    for (int s = 0; s < segments; ++s) {
      const auto at = static_cast<std::size_t>(s);
      const double moved = max_difference(usual[at][std::size_t(n)], changed[at][std::size_t(n)]);
      claim((moved > 0) == (s <= n), "a layer reaches one segment further than the one below");
      row.push_back(small(moved));
      const Words name = n == 0 ? "embeddings h⁰" : n == 1 ? "first layer: h¹" : "second layer: h²";
      diagram.box(left(s), top(n), width, height, moved > 0 ? inks[at] : ink::grey,
                  {name, moved > 0 ? words("moves by {}", small(moved)) : "does not move"});
      if (n == 0) continue;
      diagram.arrow(left(s) + width / 2, top(n - 1), left(s) + width / 2, top(n) + height + 2);
      if (s == 0) continue;
      diagram.arrow(left(s - 1) + width - 20, top(n - 1), left(s) + 20, top(n) + height + 2,
                    inks[at - 1].line, "5 4");
      diagram.text((left(s - 1) + width + left(s)) / 2, (top(n - 1) + top(n) + height) / 2 - 12,
                   "SG", {.size = 12.5, .anchor = "middle", .fill = "#c00000", .bold = true});
    }
    table.row(row);
  }
  table.print();
  for (int s = 0; s < segments; ++s)
    diagram.text(left(s) + width / 2, 404, words("segment {}", s + 1),
                 {.size = 14, .anchor = "middle", .fill = inks[std::size_t(s)].line, .bold = true});
  diagram.text(40, 56,
               "The first word of segment 1 was changed. Dashed: layer n also reads the states "
               "kept from the previous segment.",
               {.size = 12.5});
  diagram.text(40, 74,
               "SG: no gradient flows back along these lines. Two layers see two segments back.",
               {.size = 12.5});
  write_picture(options, "segments.svg", diagram.file());
}

void draw_layers_reach(const CommonOptions& options) {
  constexpr int memory = 2, query = (segments - 1) * segment;  // the last segment's first position
  say("A state in the memory has itself read its segment, so two layers reach further back than "
      "two memories do. A fresh model with T = {}, M = {} and two layers reads three segments. "
      "Change one token before the third segment, and see how much h^2 of that segment's first "
      "token moves:",
      segment, memory);
  const AnySegmentModel model = fresh_model(memory, options.seed);
  std::vector<std::int32_t> text;
  for (int i = 0; i < segments * segment; ++i) text.push_back(4 + i % 4);
  const auto state = [&](const std::vector<std::int32_t>& tokens) {
    return slice(states_of(model, tokens)[segments - 1][2], 1, 0, 1);  // (1, 1, D)
  };
  const Tensor usual = state(text);
  std::vector<std::vector<bool>> level(3, std::vector<bool>(text.size(), false));
  level[2][query] = true;
  for (const std::size_t n : {1, 0}) level[n] = read_by(level[n + 1], memory);
  std::vector<Phrase> heads = {"tokens back"}, row = {"h^2 moves by"};
  int reach = 0;
  for (int at = query - 1; at >= 0; --at) {
    std::vector<std::int32_t> changed = text;
    changed[std::size_t(at)] = 3;
    const double moved = max_difference(usual, state(changed));
    heads.emplace_back(std::to_string(query - at));
    row.push_back(small(moved));
    claim((moved > 0) == level[0][std::size_t(at)], "the layers reach as far as was counted");
    if (moved > 0) reach = query - at;
  }
  Table table(heads);
  table.row(row);
  table.print();

  Diagram diagram(words("Two layers with a memory of {} reach {} tokens back, not {}", memory,
                        reach, 2 * memory),
                  900, 390);
  constexpr double cell = 62, height = 40, left = 96, up = 100;
  const auto x = [](int at) { return left + cell * at + (at / segment) * 14; };
  const auto y = [](std::size_t n) { return 270 - up * double(n); };
  const std::vector<Phrase> names = {"embeddings", "layer 1", "layer 2"};
  for (std::size_t n = 1; n <= 2; ++n)
    for (int to = 0; to < static_cast<int>(text.size()); ++to) {
      if (!level[n][std::size_t(to)]) continue;
      for (int from = std::max(0, to / segment * segment - memory); from <= to; ++from) {
        const bool remembered = from / segment < to / segment;
        diagram.line(x(from) + cell / 2 - 4, y(n - 1), x(to) + cell / 2 - 4, y(n) + height,
                     remembered ? ink::orange.line : ink::blue.line, remembered ? 1.6 : 1,
                     remembered ? "5 4" : "");
      }
    }
  for (std::size_t n = 0; n <= 2; ++n) {
    diagram.text(left - 12, y(n) + height / 2, names[n], {.anchor = "end"});
    for (int at = 0; at < static_cast<int>(text.size()); ++at) {
      const bool read = level[n][std::size_t(at)];
      diagram.box(x(at), y(n), cell - 8, height, read ? ink::blue : ink::grey,
                  {n == 0 && at < query ? Phrase(std::to_string(at - query)) : Phrase("")});
    }
  }
  for (int s = 0; s < segments; ++s)
    diagram.text(x(s * segment) + 2 * cell - 4, 334, words("segment {}", s + 1),
                 {.size = 14, .anchor = "middle", .bold = true});
  diagram.text(20, 368,
               "Blue: what the first token of segment 3 was computed from. Dashed: read from the "
               "memory, the last two states of the previous segment.",
               {.size = 12.5});
  write_picture(options, "reach.svg", diagram.file());
}

}  // namespace xf::lesson_08
