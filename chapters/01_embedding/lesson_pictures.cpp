// Lesson 1: the clock hands of section 3, and the gradient of each in section 6.

#include <algorithm>
#include <cmath>

#include "01_embedding/lesson.hpp"
#include "nn/init.hpp"
#include "ops/cross_entropy/cross_entropy.hpp"
#include "ops/matmul/matmul.hpp"
#include "plot/diagram.hpp"
#include "plot/lines.hpp"
#include "speech/show.hpp"
#include "tensor/portable_math.hpp"

namespace xf::lesson_01 {
void clock_hands(const Options& options) {
  const std::vector<int> positions = {0, 1, 2, 5};
  const std::vector<Ink> inks = {ink::blue, ink::orange, ink::green, ink::violet};
  const Tensor pe = sinusoidal_positions(6, 8);
  const Values values = pe.values();
  Diagram diagram("With D = 8, each pair of columns is a hand: sin and cos of position · ω", 760,
                  420);
  for (int pair = 0; pair < 4; ++pair) {
    const double x = 170 + 155 * pair;
    const Ink& ink = inks[static_cast<std::size_t>(pair)];
    diagram.text(x, 58, words("pair {}: ω = {}", pair, number(portable::pow(10, -pair))),
                 {.size = 13, .anchor = "middle", .bold = true});
    diagram.text(x, 76, words("columns {} and {}", 2 * pair, 2 * pair + 1),
                 {.anchor = "middle", .fill = "#555555"});
    for (std::size_t row = 0; row < positions.size(); ++row) {
      const double y = 122 + 80 * double(row);
      const float* at = values.begin() + positions[row] * 8 + 2 * pair;
      const double sine = at[0], cosine = at[1];
      diagram.circle(x - 22, y, 31, ink::grey);
      diagram.line(x - 22, y, x - 22 + 27 * cosine, y - 27 * sine, ink.line, 3);
      diagram.text(x + 18, y - 8, words("sin {}", fixed(sine, 2)), {.size = 11, .fill = "#555555"});
      diagram.text(x + 18, y + 8, words("cos {}", fixed(cosine, 2)),
                   {.size = 11, .fill = "#555555"});
    }
  }
  for (std::size_t row = 0; row < positions.size(); ++row)
    diagram.text(20, 122 + 80 * double(row), words("position {}", positions[row]), {.size = 13});
  write_picture(options, "clock_hands.svg", diagram.file());
}

void gradient_of_each_hand(const Options& options) {
  constexpr int d_model = 64, pairs = d_model / 2, draws = 8;
  say("Does training reach every hand? Let the scores be PE W_q (PE W_k)^T / sqrt(D) with fresh "
      "weights, and let each word look for the one before it: the loss is -mean over t of log "
      "softmax(scores)[t, t - 1]. The norm of the gradient that reaches the two rows of W_k that "
      "read a hand, averaged over {} draws:",
      draws);
  Table table({"T", "pair 0", "pair 8", "pair 16", "pair 24", "pair 31"});
  std::vector<Series> lines;
  std::vector<double> slow, fast;
  for (const int length : {10, 100, 1000}) {
    const Tensor pe = sinusoidal_positions(length, d_model);
    std::vector<std::int32_t> before = {-1};  // there is no word before the first one
    for (int t = 1; t < length; ++t) before.push_back(t - 1);
    Series line{.name = words("T = {}", length), .y = std::vector<double>(pairs)};
    Random random(options.seed, 6);
    for (int draw = 0; draw < draws; ++draw) {
      const float scale = 1 / std::sqrt(float(d_model));
      const Tensor w_q = normal({d_model, d_model}, scale, random),
                   w_k = normal({d_model, d_model}, scale, random);
      Tape tape;
      const Tensor scores =
          scale * matmul(matmul(pe, w_q), matmul(pe, w_k), Transpose::yes);  // (T, T)
      const Values back =
          tape.backward(cross_entropy(scores, Ids({length}, before))).of(w_k).values();
      for (int pair = 0; pair < pairs; ++pair) {
        double squares = 0;
        for (int i = 2 * pair * d_model; i < 2 * (pair + 1) * d_model; ++i)
          squares += double(back[i]) * double(back[i]);
        line.y[std::size_t(pair)] += std::sqrt(squares) / draws;
      }
    }
    std::vector<Phrase> row = {length};
    for (const std::size_t pair : {0, 8, 16, 24, 31}) row.push_back(small(line.y[pair]));
    table.row(row);
    for (int pair = 0; pair < pairs; ++pair) line.x.push_back(pair);
    fast.push_back(*std::ranges::max_element(line.y));
    slow.push_back(line.y.back());
    lines.push_back(std::move(line));
  }
  table.print();
  write_picture(
      options, "gradient_of_each_hand.svg",
      line_chart_svg({.title = "The longer the text (T words), the more hands get a gradient",
                      .x_title = "pair i, from the fastest hand to the slowest",
                      .y_title = "norm of the gradient (log scale)",
                      .series = std::move(lines),
                      .log_y = true}));
  say("A hand that hardly moves within the text gives every word the same number: it adds the same "
      "amount to all scores of a row, and softmax cancels that. So the slow hands hardly learn on "
      "short texts, and the longer the text, the more hands take part.");
  claim(slow[0] < 1e-2 * fast[0], "on 10 words the slowest hand gets hardly any gradient");
  claim(slow[0] < slow[1] && slow[1] < slow[2], "the longer the text, the more it gets");
}

}  // namespace xf::lesson_01
