// Lesson 6: the shifted target over its mask (section 2), and the cache step by step (section 6).

#include "02_attention/mask.hpp"
#include "06_decoder/lesson.hpp"
#include "plot/diagram.hpp"
#include "speech/show.hpp"

namespace xf::lesson_06 {
namespace {

// "I love Beijing", as the decoder reads it and as it must predict it.
const std::vector<std::int32_t> in = {bos, 4, 5, 6}, out = {4, 5, 6, eos};

}  // namespace

void shifted_target(const Options& options) {
  const int t = static_cast<int>(in.size());
  const std::vector<std::string> reads = words_of(Ids({1, t}, in), 0, english);
  const std::vector<std::string> predicts = words_of(Ids({1, t}, out), 0, english);
  const Mask mask = causal_mask(t, t);
  const Ids allowed = mask.allowed();
  Diagram diagram("Teacher forcing: each row predicts the next word, and sees no further", 720,
                  380);
  constexpr double left = 230, top = 110, side = 56;
  diagram.text(left + side * t / 2, 58, "keys: the input", {.size = 13, .anchor = "middle"});
  diagram.text(20, top + side * t / 2, "queries: the input", {.size = 13});
  diagram.text(left + side * t + 62, 88, "must predict", {.size = 13});
  diagram.grid({.x = left,
                .y = top,
                .cell_width = side,
                .cell_height = side,
                .rows = t,
                .columns = t,
                .cell = [&](int row, int column) -> Diagram::Cell {
                  if (!allowed[row * t + column]) return {.text = "×", .colour = ink::grey.line};
                  return {.fill = ink::green.fill, .edge = ink::green.line};
                }});
  for (int i = 0; i < t; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const double y = top + side * (i + 0.5), right = left + side * t;
    const TextStyle key{.size = 13, .anchor = "middle", .fill = ink::blue.line, .bold = true};
    const TextStyle query{.size = 13, .anchor = "end", .fill = ink::blue.line, .bold = true};
    diagram.text(left + side * (i + 0.5), 88, reads[at], key);
    diagram.text(left - 10, y, reads[at], query);
    diagram.arrow(right + 8, y, right + 54, y);
    diagram.text(right + 62, y, predicts[at], {.size = 13, .fill = ink::orange.line, .bold = true});
  }
  diagram.text(
      20, top + side * t + 32,
      "The words to predict are the input, shifted by one position. × marks masked, later words.",
      {.size = 12.5});
  write_picture(options, "shifted_target.svg", diagram.file());
}

void cache_steps(const Options& options) {
  Random random(options.seed, 6);
  const Decoder decoder(1, {.d_model = 8, .d_ff = 16, .heads = 2}, random);
  const TokenEmbedding table(static_cast<int>(english.size()), 8, random);
  DecoderCache cache = decoder.start(normal({1, 3, 8}, 1.0, random), {});
  const std::vector<std::string> words =
      words_of(Ids({1, static_cast<int>(in.size())}, in), 0, english);
  Diagram diagram("The key/value cache: each step adds one row, and the past stays", 860, 330);
  for (std::size_t step = 0; step < in.size(); ++step) {
    const int before = cache.past.row_count();
    decoder(table(Ids({1, 1}, {in[step]})), cache);
    const int rows = cache.past.row_count();
    const auto scores = cache.past.seen[0].size();
    const double x = 20 + 210 * double(step), middle = x + 95;
    diagram.text(middle, 62, xf::words("step {}", step + 1),
                 {.size = 14, .anchor = "middle", .bold = true});
    diagram.text(middle - 3, 82, "reads", {.anchor = "end", .fill = "#555555"});
    diagram.text(middle + 3, 82, words[step], {.fill = ink::blue.line, .bold = true});
    diagram.grid(
        {.x = x,
         .y = 100,
         .cell_width = 95,
         .cell_height = 28,
         .rows = rows,
         .columns = 2,
         .cell = [&](int row, int column) -> Diagram::Cell {
           const Ink& ink = row < before ? ink::grey : ink::orange;
           const std::string& word = words[static_cast<std::size_t>(row)];
           return {.text = (column == 0 ? "k " : "v ") + word, .fill = ink.fill, .edge = ink.line};
         }});
    diagram.arrow(middle, 246, middle, 104 + 28 * rows);
    diagram.box(x, 248, 190, 32, ink::blue, {});
    diagram.text(x + 12, 264, "q " + words[step], {.bold = true});
    diagram.text(x + 178, 264, scores == 1 ? "1 score" : xf::words("{} scores", scores),
                 {.anchor = "end"});
  }
  diagram.text(20, 308,
               "Orange is computed at this step; grey was kept. Without the cache every row would "
               "be computed again.",
               {.size = 12.5});
  write_picture(options, "cache_steps.svg", diagram.file());
}

}  // namespace xf::lesson_06
