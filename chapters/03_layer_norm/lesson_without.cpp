// Lesson 3, section 8: a stack without residuals, and one without norms.

#include "03_layer_norm/lesson.hpp"
#include "03_layer_norm/lesson_measure.hpp"
#include "plot/lines.hpp"
#include "speech/show.hpp"
#include "tensor/parallel.hpp"
#include "tensor/portable_math.hpp"

namespace xf::lesson_03 {
namespace {

const std::vector<Kind> kinds = {{Block::post, "post"},
                                 {Block::pre, "pre"},
                                 {Block::no_residual, "no residual"},
                                 {Block::no_norm, "no norm"},
                                 {Block::neither, "neither"}};

// The root mean square of each layer's output in a fresh stack.
std::vector<double> sizes_by_layer(Block block, int layers, std::uint64_t seed) {
  Random random(seed);
  const BlockModel stack(vocabulary, d_model, layers, block, random);
  Tensor x = add_positions(stack.table(random_ids(random)));
  std::vector<double> sizes;
  for (const Layer& layer : stack.layers) {
    x = layer(x);
    sizes.push_back(norm_of(x) / std::sqrt(double(x.count())));
  }
  return sizes;
}

// How much the words of a sentence still differ after the last layer: the share of the squared norm
// that is not due to the sentence's mean.
double variety(Block block, int layers, std::uint64_t seed) {
  Random random(seed);
  const BlockModel stack(vocabulary, d_model, layers, block, random);
  Tensor x = add_positions(stack.table(random_ids(random)));
  for (const Layer& layer : stack.layers) x = layer(x);
  const std::vector<float> values = x.values();
  double within = 0, all = 0;
  for (int b = 0; b < batch; ++b)
    for (int d = 0; d < d_model; ++d) {
      double mean = 0;
      const auto at = [&](int t) { return values[std::size_t((b * length + t) * d_model + d)]; };
      for (int t = 0; t < length; ++t) mean += at(t) / double(length);
      for (int t = 0; t < length; ++t) {
        within += portable::square(at(t) - mean);
        all += portable::square(at(t));
      }
    }
  return within / all;
}

}  // namespace

void without(const Options& options) {
  section("What if the residual or the norm is left out?");
  constexpr int layers = 12;
  say("We take the stack of section 6 again, newly initialised, with {} layers: post = norm(x + "
      "f(x)), pre = x + f(norm(x)), no residual = norm(f(x)), no norm = x + f(x), neither = f(x). "
      "The table gives the size of the output of layers 1, 4 and {}, the proportion of the sum of "
      "squares that remains when the mean of the sentence is subtracted from each word, and the "
      "gradient norm of W_1 in the first and in the last layer (mean of 10 stacks):",
      layers, layers);
  Table table({"stack", "size after 1", "4", std::to_string(layers), "words differ",
               "gradient: first", "last"});
  std::vector<std::vector<double>> sizes, gradients;
  std::vector<double> differ;
  for (const Kind& kind : kinds) {
    sizes.push_back(sizes_by_layer(kind.block, layers, options.seed));
    gradients.push_back(gradient_norms(kind.block, layers, 10, options.seed));
    differ.push_back(variety(kind.block, layers, options.seed));
    table.row({kind.name, small(sizes.back()[0]), small(sizes.back()[3]),
               small(sizes.back().back()), small(differ.back()), small(gradients.back().front()),
               small(gradients.back().back())});
  }
  table.print();
  claim(sizes[3].back() > 3 * sizes[1].back(), "without norms the numbers inflate");
  claim(sizes[4].back() < 0.1 * sizes[4].front(), "without either, numbers fade");
  claim(differ[2] < 0.1 * differ[0], "without residuals the words become alike");

  say("Now 8 layers are trained with warm-up to repeat the words, as in section 7:");
  Table losses({"loss after", "20 updates", "40", "80", "120"});
  std::vector<Series> lines;
  std::vector<double> last;
  const auto trained = each_in_parallel(static_cast<int>(kinds.size()), [&](int i) {
    return train(kinds[std::size_t(i)].block, warm_up_updates, updates, options.seed, full_rate);
  });
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    const Kind& kind = kinds[k];
    const std::vector<double>& loss = trained[k];
    std::vector<Phrase> cells = {kind.name};
    for (int update : {20, 40, 80, updates})
      cells.push_back(fixed(mean_of(loss, update - 10, update), 3));
    losses.row(cells);
    Series line = {.name = kind.name, .dashed = kind.block == Block::neither};
    for (int i = 0; i < updates; i += 8) line.add(i + 8, mean_of(loss, i, i + 8));
    lines.push_back(line);
    last.push_back(mean_of(loss, updates - 10, updates));
  }
  losses.print();
  write_picture(
      options, "without.svg",
      line_chart_svg({.title = "Without residuals, or without norms, 8 layers do not learn",
                      .x_title = "updates",
                      .y_title = "loss (mean of 8)",
                      .series = lines,
                      .log_y = true}));
  claim(last[0] < 1 && last[1] < 0.1, "a stack that has both learns");
  claim(last[2] > 2.5 && last[3] > 2.5 && last[4] > 2.5,
        "a stack that lacks either does not learn");
  finding("Loss after 120 updates: post {}, pre {}, no residual {}, no norm {}, neither {}",
          fixed(last[0], 2), fixed(last[1], 2), fixed(last[2], 2), fixed(last[3], 0),
          fixed(last[4], 2));
}

}  // namespace xf::lesson_03
