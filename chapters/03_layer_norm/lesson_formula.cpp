// Lesson 3, sections 1 to 4: the formula, batch norm, and the variants in circulation.

#include <algorithm>
#include <cmath>

#include "01_embedding/positional_encoding.hpp"
#include "03_layer_norm/lesson.hpp"
#include "ops/shape/shape_ops.hpp"
#include "plot/diagram.hpp"
#include "speech/show.hpp"
#include "tensor/portable_math.hpp"
#include "tensor/xt.hpp"

namespace xf::lesson_03 {
namespace {

using Matrix = xt::xtensor<float, 2>;

// How the square root of the variance is computed.
struct Variant {
  int subtract = 0;          // the squares are divided by D - subtract
  double eps_inside = 1e-5;  // sqrt(variance + eps_inside) + eps_outside
  double eps_outside = 0;
};

// (x - mean) / root for every row, gamma = 1 and beta = 0.   x: (N, D)   returns (N, D)
Matrix normalised(const Matrix& x, const Variant& variant = {}) {
  const float divisor = float(x.shape(1)) - float(variant.subtract);
  const xt::xtensor<float, 1> mean = xt::mean(x, {1});
  const Matrix centred = x - xt::view(mean, xt::all(), xt::newaxis());
  const xt::xtensor<float, 1> variance = xt::sum(centred * centred, {1}) / divisor;
  const xt::xtensor<float, 1> root =
      xt::sqrt(variance + float(variant.eps_inside)) + float(variant.eps_outside);
  return centred / xt::view(root, xt::all(), xt::newaxis());
}

// Batch norm in training: the same, but over the rows, for each column.   x: (N, D)
Matrix batch_normalised(const Matrix& x) { return xt::transpose(normalised(xt::transpose(x))); }

// The standard deviation (dividing by D) of the first row.
double deviation(const Matrix& x) {
  double mean = 0, squares = 0;
  const double d = double(x.shape(1));
  for (std::size_t i = 0; i < x.shape(1); ++i) mean += x(0, i) / d;
  for (std::size_t i = 0; i < x.shape(1); ++i) squares += portable::square(x(0, i) - mean) / d;
  return std::sqrt(squares);
}

// Batch norm's estimates from few words: features with mean 0 and deviation 1, `rows` words per
// batch. Returns the root-mean-square errors of the mean and of the deviation over 1000 features.
std::pair<double, double> estimate_errors(int rows, Random& random) {
  double of_mean = 0, of_deviation = 0;
  const int features = 1000;
  for (int j = 0; j < features; ++j) {
    double sum = 0, squares = 0;
    for (int r = 0; r < rows; ++r) {
      const double x = random.normal();
      sum += x, squares += x * x;
    }
    const double mean = sum / rows;
    of_mean += mean * mean / features;
    of_deviation += portable::square(std::sqrt(squares / rows - mean * mean) - 1) / features;
  }
  return {std::sqrt(of_mean), std::sqrt(of_deviation)};
}

// Sentences one after the other, each padded with rows of zeros to `length`.
Tensor padded_batch(const std::vector<Tensor>& sentences, int length) {
  Tensor all;
  for (const Tensor& sentence : sentences) {
    const Tensor zeros = Tensor::zeros({length - sentence.size(0), sentence.size(1)});
    const Tensor rows = concat(sentence, zeros, 0);
    all = all.defined() ? concat(all, rows, 0) : rows;
  }
  return all;
}

// Which numbers of the batch each norm averages over.   x: (15, 4), 3 sentences of 5 rows
void draw_axes(const Matrix& x, const Options& options) {
  const int rows = static_cast<int>(x.shape(0)), columns = static_cast<int>(x.shape(1));
  constexpr int lit_row = 6, lit_column = 1, length = 5;
  const std::vector<int> words_in = {2, 3, 5};
  const auto is_padding = [&](int row) {
    return row % length >= words_in[std::size_t(row / length)];
  };
  Diagram diagram("Over which numbers is the mean taken?", 860, 560);
  const auto draw = [&](double left, const Ink& ink, const Phrase& name, const auto& lit) {
    double sum = 0;
    int count = 0;
    for (int row = 0; row < rows; ++row)
      for (int column = 0; column < columns; ++column)
        if (lit(row, column)) sum += double(x(std::size_t(row), std::size_t(column))), ++count;
    diagram.grid({.x = left,
                  .y = 80,
                  .cell_width = 64,
                  .cell_height = 29,
                  .rows = rows,
                  .columns = columns,
                  .cell =
                      [&](int row, int column) {
                        Diagram::Cell cell{
                            .text = fixed(double(x(std::size_t(row), std::size_t(column))), 2)};
                        if (lit(row, column)) cell.fill = ink.fill, cell.edge = ink.line;
                        if (is_padding(row)) cell.colour = ink::grey.line;
                        return cell;
                      },
                  .name = name,
                  .shape = words("mean of {} numbers: {}", count, fixed(sum / count, 3))});
  };
  for (int row = 0; row < rows; ++row) {
    const int word = row % length, sentence = row / length;
    diagram.text(128, 94.5 + 29 * row,
                 is_padding(row) ? words("sentence {}, padding", sentence)
                                 : words("sentence {}, word {}", sentence, word),
                 {.anchor = "end", .fill = is_padding(row) ? ink::grey.line : "#222222"});
  }
  draw(140, ink::blue, "layer norm: one word, all features",
       [&](int row, int) { return row == lit_row; });
  draw(540, ink::orange, "batch norm: one feature, all rows",
       [&](int, int column) { return column == lit_column; });
  for (const int sentence : {1, 2})
    for (const double left : {140.0, 540.0})
      diagram.line(left - 6, 80 + 29 * length * sentence, left + 262, 80 + 29 * length * sentence,
                   "#222222", 2);
  write_picture(options, "axes.svg", diagram.file());
}

void small_batches(Random& random) {
  say("Small batches. In training, batch norm takes the statistics of the batch for the truth. If "
      "the features have mean 0 and deviation 1, how far off is the estimate from R words?");
  Table table({"words R", "error of the mean", "error of the deviation"});
  std::vector<double> errors;
  for (int rows : {2, 8, 32, 128, 512}) {
    const auto [mean, deviation] = estimate_errors(rows, random);
    table.row({std::to_string(rows), fixed(mean, 3), fixed(deviation, 3)});
    errors.push_back(mean);
  }
  table.print();
  claim(errors.front() > 8 * errors.back(), "few words give bad estimates");
}

// Statistics for each position of a sentence, as a recurrent network needs them: 16 sentences of 3
// to 20 words, where each vector is the word's plus the position's.
void statistics_by_place(Random& random) {
  say("Statistics position by position. A recurrent network makes one step for each position, and "
      "words at different positions differ (here by the position encoding), so one mean for all "
      "does not fit. But a mean for each position rests only on the sentences that are long "
      "enough. The table is for 16 sentences of 3 to 20 words, D = 64:");
  const int d = 64;
  std::vector<int> lengths;
  for (int i = 0; i < 16; ++i) lengths.push_back(3 + random.below(18));
  const int longest = *std::max_element(lengths.begin(), lengths.end());
  const Tensor positions = sinusoidal_positions(40, d);
  const std::vector<float> pe = positions.values();
  Table table({"position", "sentences", "true mean: distance from positions 1 to 20",
               "expected error of its mean", "numbers stored"});
  for (int place : {1, 5, 10, longest, longest + 1, 30}) {
    const auto reach = std::count_if(lengths.begin(), lengths.end(),
                                     [place](int length) { return length >= place; });
    double apart = 0;  // mean squared distance of this mean from that of positions 1 to 20
    for (int j = 0; j < d; ++j) {
      double all = 0;
      for (int t = 0; t < 20; ++t) all += pe[std::size_t(t * d + j)] / 20;
      apart += portable::square(pe[std::size_t((place - 1) * d + j)] - all) / d;
    }
    table.row(
        {std::to_string(place), std::to_string(reach), fixed(std::sqrt(apart), 3),
         reach > 0 ? Phrase(fixed(1 / std::sqrt(double(reach)), 3)) : Phrase("none: never seen"),
         place <= longest ? std::to_string(2 * d * place) : "-"});
  }
  table.print();
  say("A test sentence longer than {} words has positions for which nothing is stored. And every "
      "layer needs all of this, 2 D numbers for each position, updated in every training step, "
      "whereas layer norm stores none.",
      longest);
}

}  // namespace

void formula(Random& random) {
  section("What does layer norm do?");
  say("Each row, the vector of one word, is shifted to mean 0 and scaled to variance 1 on its own. "
      "Then every feature is scaled by gamma and shifted by beta, two learned vectors (not "
      "matrices, since they work element by element).");
  LayerNorm norm(4);
  norm.gamma = Tensor::from({4}, {1, 2, 0.5f, 1});
  norm.beta = Tensor::from({4}, {0, 0, 1, -1});
  const Tensor x = Tensor::from({3, 4}, {1, 2, 3, 4, 10, 20, 30, 40, 0, 0, 0, 8});
  show("x", x);
  show("gamma", norm.gamma);
  show("beta", norm.beta);
  equation(
      "mean = xt::mean(x, {1})                                    one number a row\n"
      "centred = x - xt::view(mean, xt::all(), xt::newaxis())     the means as a column\n"
      "variance = xt::sum(centred * centred, {1}) / D             biased: divided by D\n"
      "root = xt::sqrt(variance + eps)                            eps = 1e-5\n"
      "n = centred / xt::view(root, xt::all(), xt::newaxis())\n"
      "y = gamma * n + beta");
  const Matrix n = normalised(to_xt<2>(x));
  show("n", from_xt<2>(n));
  const Tensor y = norm(x);
  show("y", y);
  const xt::xtensor<float, 1> gamma = to_xt<1>(norm.gamma), beta = to_xt<1>(norm.beta);
  const Matrix by_equation = n * gamma + beta;
  agree("the layer and the equation", y, from_xt<2>(by_equation));
  const Tensor wide = normal({64, 512}, 3, random);
  const Tensor by_layer = LayerNorm(512)(wide);
  agree("the same on random rows, (64, 512)", by_layer, from_xt<2>(normalised(to_xt<2>(wide))));
  say("Rows 0 and 1 differ only by a factor of 10, and n is the same, so the scale of a row is "
      "lost. Row 2 shows that n does not become Gaussian, as is sometimes claimed: it has mean 0 "
      "and variance 1 but keeps its shape, three equal numbers and one outlier.");
  claim(max_difference(slice(from_xt<2>(n), 0, 0, 1), slice(from_xt<2>(n), 0, 1, 1)) < 1e-4,
        "the scale of a row does not matter");
  finding(
      "LayerNorm(x) = gamma * (x - mean) / sqrt(variance + eps) + beta, for each word separately");
}

void against_batch_norm(Random& random, const Options& options) {
  section("Why not batch norm?");
  say("Batch norm instead takes the mean and variance down each column, over all words of all "
      "sentences of the batch, so sentences affect each other and padding counts as words. Take "
      "three sentences of 2, 3 and 5 words, D = 4, padded with zeros to 5. Now change the batch, "
      "and look at the two words of sentence 0, which is the same in every row:");
  const Tensor s0 = normal({2, 4}, 1, random), s1 = normal({3, 4}, 1, random);
  const Tensor s2 = normal({5, 4}, 1, random), other = normal({5, 4}, 3, random);
  const Tensor batch = padded_batch({s0, s1, s2}, 5);
  const auto first = [](const Matrix& rows) { return slice(from_xt<2>(rows), 0, 0, 2); };
  draw_axes(to_xt<2>(batch), options);
  const Tensor layer_before = first(normalised(to_xt<2>(batch)));
  const Tensor batch_before = first(batch_normalised(to_xt<2>(batch)));
  Table table({"the batch", "layer norm: change", "batch norm: change"});
  const std::vector<std::pair<Words, Tensor>> batches = {
      {"as above", batch},
      {"padded to 10 positions instead of 5", padded_batch({s0, s1, s2}, 10)},
      {"another sentence 2", padded_batch({s0, s1, other}, 5)},
      {"sentence 0 alone, no padding", s0}};
  double layer_most = 0, batch_least = 1e9;
  for (const auto& [name, rows] : batches) {
    const double by_layer = max_difference(layer_before, first(normalised(to_xt<2>(rows))));
    const double by_batch = max_difference(batch_before, first(batch_normalised(to_xt<2>(rows))));
    table.row({name, fixed(by_layer), fixed(by_batch)});
    layer_most = std::max(layer_most, by_layer);
    if (&rows != &batches.front().second) batch_least = std::min(batch_least, by_batch);
  }
  table.print();
  claim(layer_most == 0, "layer norm sees one word only");
  claim(batch_least > 1e-2, "batch norm depends on the batch");
  agree("the layer gives what the equation gives", layer_before,
        slice(LayerNorm(4)(batch), 0, 0, 2));
  say("In a batch of a single word, each column has one number, its own mean, and nothing is "
      "left:");
  const Matrix word = to_xt<2>(slice(s0, 0, 0, 1));
  show("the word", from_xt<2>(word));
  show("batch norm", from_xt<2>(batch_normalised(word)));
  show("layer norm", from_xt<2>(normalised(word)));
  Random draw(2);  // a separate generator, so that later sections keep their numbers
  small_batches(draw);
  statistics_by_place(draw);
  finding("Layer norm sees one word and nothing else; batch norm lets padding and neighbours in");
}

void biased_or_not(Random& random) {
  section("Divide the squares by D or by D - 1?");
  say("A library's default std may divide by D - 1 (unbiased), and many layer norms use it. All "
      "outputs are then smaller by a factor of sqrt((D - 1) / D). The largest differences on 100 "
      "random rows:");
  Table table({"D", "sqrt((D-1)/D)", "largest |y|", "largest difference"});
  double at_4 = 0, at_512 = 0;
  for (int d : {2, 4, 16, 64, 512}) {
    const Matrix x = to_xt<2>(normal({100, d}, 1, random));
    const Tensor biased = from_xt<2>(normalised(x));
    const Tensor unbiased = from_xt<2>(normalised(x, {.subtract = 1}));
    const double difference = max_difference(biased, unbiased);
    double largest = 0;
    for (float value : biased.values()) largest = std::max(largest, std::abs(double(value)));
    table.row(
        {std::to_string(d), fixed(std::sqrt((d - 1.0) / d)), fixed(largest), fixed(difference)});
    if (d == 4) at_4 = difference;
    at_512 = difference;
  }
  table.print();
  claim(at_4 > 10 * at_512, "the difference shrinks with D");
  say("gamma can learn the factor, so a model trains either way. But a model trained with one and "
      "run with the other is off, at D = 512 by up to {} per norm.",
      fixed(at_512, 4));
  finding("Unbiased output is smaller by a factor sqrt((D-1)/D): 13 % at D = 4, 0.1 % at D = 512");
}

void where_is_epsilon() {
  section("Where does eps go?");
  say("Inside the root (as in batch norm, and here), outside of it, or nowhere: all three are in "
      "use. The rows are s * (1, -1, 1, -1) with ever smaller s, and last a constant row (s = 0). "
      "The table gives the standard deviation of the output, which should be 1 (0 for the constant "
      "row):");
  Table table({"s", "sqrt(var + 1e-5)", "sqrt(var) + 1e-5", "sqrt(var) + 1e-6", "sqrt(var)"});
  const LayerNorm layer(4);
  double nowhere = 0, inside = 0, damped = 0, blown_up = 0;
  for (double s : {1.0, 1e-2, 1e-3, 1e-5, 0.0}) {
    const float f = float(s);
    const Tensor row = Tensor::from({1, 4}, {f, -f, f, -f});
    const Matrix x = to_xt<2>(row);
    inside = deviation(to_xt<2>(layer(row)));
    nowhere = deviation(normalised(x, {.eps_inside = 0}));
    const double outside = deviation(normalised(x, {.eps_inside = 0, .eps_outside = 1e-6}));
    table.row({small(s), fixed(inside),
               fixed(deviation(normalised(x, {.eps_inside = 0, .eps_outside = 1e-5}))),
               fixed(outside), fixed(nowhere)});
    if (s == 1e-5) damped = inside, blown_up = outside;
  }
  table.print();
  claim(inside == 0 && std::isnan(nowhere), "without eps a constant row gives NaN");
  claim(damped < 0.01 && blown_up > 0.9, "eps inside damps noise, eps outside blows it up");
  say("For ordinary rows there is no difference. For a row of almost equal numbers, such as "
      "padding, eps inside the root damps the noise, whereas eps outside blows it up to full size. "
      "Without eps, a constant row divides 0 by 0.");
  finding("eps goes inside the root. Without it, one constant row turns the whole run into NaN");
}

}  // namespace xf::lesson_03
