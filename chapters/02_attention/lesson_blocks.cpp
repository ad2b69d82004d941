// Lesson 2, section 1: the equation as blocks, with the shapes and the numbers of one call.

#include "02_attention/lesson.hpp"
#include "02_attention/mask.hpp"
#include "plot/diagram.hpp"
#include "plot/viridis.hpp"
#include "speech/show.hpp"

namespace xf::lesson_02 {
namespace {

// A matrix of integers or fractions, all in one colour.
Diagram::Grid matrix(double x, double y, const std::vector<float>& values, int rows, int columns,
                     const Ink& ink, int decimals) {
  return {.x = x,
          .y = y,
          .cell_width = decimals > 0 ? 40.0 : 30.0,
          .cell_height = 28,
          .rows = rows,
          .columns = columns,
          .cell = [=](int row, int column) -> Diagram::Cell {
            const float value = values[static_cast<std::size_t>(row * columns + column)];
            return {.text = fixed(value, decimals), .fill = ink.fill, .edge = ink.line};
          }};
}

}  // namespace

void blocks(const Options& options) {
  const Tensor q = Tensor::from({1, 1, 3, 2}, {1, 0, 0, 1, 2, 1});
  const Tensor k = Tensor::from({1, 1, 4, 2}, {2, 0, 1, 1, 0, 1, 1, 2});
  const Tensor v = Tensor::from({1, 1, 4, 2}, {1, 0, 0, 1, -1, 1, 2, 2});
  const Mask mask = causal_mask(3, 4, 1);  // one more key than queries, placed before them
  Recorder recorder({"scores", "weights"});
  const Tensor y = attention(q, k, v, mask);
  const std::vector<float> weights = recorder.of("weights").values(), keys = k.values();
  const std::vector<std::int32_t> allowed = mask.allowed().values();
  std::vector<float> turned;  // K^T
  for (int d = 0; d < 2; ++d)
    for (int s = 0; s < 4; ++s) turned.push_back(keys[static_cast<std::size_t>(s * 2 + d)]);

  Diagram diagram("Attention as blocks: T = 3 queries, S = 4 keys, d_k = 2", 940, 310);
  const auto put = [&](Diagram::Grid grid, const Phrase& name, const Phrase& shape) {
    grid.name = name;
    grid.shape = shape;
    diagram.grid(grid);
  };
  const auto sign = [&](double x, const Phrase& text) {
    diagram.text(x, 132, text, {.size = 18, .anchor = "middle"});
  };
  put(matrix(30, 90, q.values(), 3, 2, ink::blue, 0), "Q", "(T, d_k)");
  sign(104, "·");
  put(matrix(120, 90, turned, 2, 4, ink::orange, 0), "Kᵀ", "(d_k, S)");
  sign(256, "=");
  put(matrix(274, 90, recorder.of("scores").values(), 3, 4, ink::grey, 0), "scores", "(T, S)");
  diagram.arrow(402, 132, 512, 132);
  diagram.text(456, 98, "÷ √d_k, mask,", {.anchor = "middle", .fill = "#555555"});
  diagram.text(456, 115, "softmax of a row", {.anchor = "middle", .fill = "#555555"});
  Diagram::Grid weighed = matrix(520, 90, weights, 3, 4, ink::green, 2);
  weighed.cell = [&](int row, int column) -> Diagram::Cell {
    const auto at = static_cast<std::size_t>(row * 4 + column);
    if (!allowed[at]) return {.text = "×", .colour = ink::grey.line};
    return {.text = fixed(weights[at], 2),
            .fill = hex(viridis(weights[at])),
            .colour = weights[at] < 0.5f ? "#ffffff" : "#000000",
            .edge = "#ffffff"};
  };
  put(weighed, "weights", "(T, S)");
  sign(696, "·");
  put(matrix(712, 90, v.values(), 4, 2, ink::violet, 0), "V", "(S, d_k)");
  sign(790, "=");
  put(matrix(808, 90, y.values(), 3, 2, ink::blue, 2), "output", "(T, d_k)");
  const TextStyle note{.size = 12.5};
  diagram.text(30, 252,
               "A row of scores: one query against every key. The inner size d_k vanishes.", note);
  diagram.text(30, 271,
               "The queries are the last three of four words: × is masked, a key that comes later; "
               "the weights of a row sum to 1.",
               note);
  diagram.text(30, 290, "A row of the output: the values, mixed with that row of weights.", note);
  write_picture(options, "blocks.svg", diagram.file());
}

}  // namespace xf::lesson_02
