// Lesson 1, sections 3 to 7: position encodings.

#include "01_embedding/lesson.hpp"
#include "io/files.hpp"
#include "language/language.hpp"
#include "ops/matmul/matmul.hpp"
#include "plot/heatmap.hpp"
#include "speech/show.hpp"
#include "tensor/portable_math.hpp"
#include "tensor/xt_linalg.hpp"

namespace xf::lesson_01 {
namespace {

std::vector<std::string> numbered(const std::string& before, int count) {
  std::vector<std::string> names;
  for (int i = 0; i < count; ++i) names.push_back(before + std::to_string(i));
  return names;
}

void draw(const Options& options, const std::string& file, const Heatmap& heatmap) {
  write_picture(options, file, heatmap_svg(heatmap));
  if (is_large(heatmap))
    write_file_atomically(output_path(options, file.substr(0, file.size() - 3) + "png"),
                          heatmap_png(heatmap));
}

// sin and cos of pos / 10000^(2i/D), as the paper writes them.   returns (length, D)
xt::xtensor<float, 2> paper_equation(int length, int d_model) {
  const xt::xtensor<double, 1> pos = xt::arange<double>(length);
  const xt::xtensor<double, 1> i = xt::arange<double>(d_model / 2);
  const xt::xtensor<double, 1> w = xt::pow(10000.0, -2 * i / d_model);
  const xt::xtensor<double, 2> angle = xt::view(pos, xt::all(), xt::newaxis()) * w;
  xt::xtensor<float, 2> pe = xt::zeros<float>({length, d_model});
  xt::view(pe, xt::all(), xt::range(0, d_model, 2)) = xt::cast<float>(xt::sin(angle));
  xt::view(pe, xt::all(), xt::range(1, d_model, 2)) = xt::cast<float>(xt::cos(angle));
  return pe;
}

// For every column of b: the column of a with the same values, or -1.
std::vector<int> same_columns(const Tensor& a, const Tensor& b) {
  std::vector<int> found;
  for (int column = 0; column < b.size(1); ++column) {
    const Tensor wanted = slice(b, 1, column, 1);
    int match = -1;
    for (int other = 0; other < a.size(1) && match < 0; ++other)
      if (max_difference(slice(a, 1, other, 1), wanted) < 1e-6) match = other;
    found.push_back(match);
  }
  return found;
}

std::string joined(const std::vector<int>& numbers) {
  std::string text;
  for (int number : numbers) text += (number < 0 ? "   -" : "   " + std::to_string(number));
  return text;
}

void refused(int d_model, PositionLayout layout, const Words& call) {
  const Phrase message = refusal([&] { sinusoidal_positions(4, d_model, 0, layout); });
  equation("{}  ->  {}", call, message);
  claim(!message.empty(), "such a size is refused");
}

// The cosine and sine of the unique rotation that takes pair i of row p to that of row p + k.
std::pair<double, double> rotation_between(const Tensor& table, int p, int k, int i) {
  const int d_model = table.size(1);
  const Values values = table.values();
  const float *from = values.begin() + p * d_model + 2 * i, *to = from + k * d_model;
  const double square = from[0] * from[0] + from[1] * from[1];
  return {(to[0] * from[0] + to[1] * from[1]) / square,
          (to[0] * from[1] - to[1] * from[0]) / square};
}

// R_k, block-diagonal: it rotates pair i by k w_i.   returns (D, D)
xt::xtensor<float, 2> rotation_matrix(int k, int d_model) {
  xt::xtensor<float, 2> r = xt::zeros<float>({d_model, d_model});
  for (int i = 0; i < d_model; i += 2) {
    const double angle = k * portable::pow(10000.0, -double(i) / d_model);
    r(i, i) = r(i + 1, i + 1) = static_cast<float>(portable::cos(angle));
    r(i, i + 1) = static_cast<float>(portable::sin(angle));
    r(i + 1, i) = -r(i, i + 1);
  }
  return r;
}

}  // namespace

void position_encoding(const Options& options) {
  section("Where is the word?");
  say("The sum that attention forms (lesson 2) does not know the order of the words, so their "
      "positions 0 ... T-1 are written into the vectors: each pair of columns is a clock hand, and "
      "each hand is slower than the one before it.");
  equation(
      "w = xt::pow(10000.0, -2 * i / D)                     i = 0 ... D/2 - 1\n"
      "angle = xt::view(pos, all, newaxis) * w              (T, D/2)\n"
      "xt::view(pe, all, range(0, D, 2)) = xt::sin(angle)   even columns\n"
      "xt::view(pe, all, range(1, D, 2)) = xt::cos(angle)   odd columns");
  const Tensor pe = sinusoidal_positions(6, 8);
  show("PE", pe, {.rows = numbered("pos ", 6)});
  agree("the function and the equation, T = 6, D = 8", pe, from_xt<2>(paper_equation(6, 8)));
  agree("the function and the equation, T = 500, D = 512", sinusoidal_positions(500, 512),
        from_xt<2>(paper_equation(500, 512)));
  say("Decoding continues where it stopped: the row of position 4, computed by itself, equals row "
      "4 of the table.");
  agree("first = 4", sinusoidal_positions(1, 8, 4), slice(pe, 0, 4, 1));
  clock_hands(options);
  const Tensor large = sinusoidal_positions(64, options.d_model, 0, options.layout);
  draw(options, "positions.svg",
       {.title = "Position encoding PE(pos, column)",
        .values = large.values(),
        .row_count = 64,
        .column_count = options.d_model,
        .row_title = "position",
        .column_title = "column",
        .range = std::pair{-1.0f, 1.0f}});
  if (options.layout != PositionLayout::interleaved)  // the one chosen with --layout
    show("--layout=" + options.layout_name, sinusoidal_positions(6, 8, 0, options.layout),
         {.rows = numbered("pos ", 6)});
  finding("PE is absolute (0 ... T-1): sin and cos of D/2 frequencies, from 1 to about 1/10000");
}

void layouts() {
  section("Three layouts are in circulation. Which are the same?");
  const int d_model = 8;
  const Tensor paper = sinusoidal_positions(50, d_model);
  const Tensor halves = sinusoidal_positions(50, d_model, 0, PositionLayout::halves);
  const Tensor minus_2 = sinusoidal_positions(50, d_model, 0, PositionLayout::halves_d_minus_2);
  show("PE(3)",
       concat(concat(slice(paper, 0, 3, 1), slice(halves, 0, 3, 1), 0), slice(minus_2, 0, 3, 1), 0),
       {.rows = {"interleaved, divisor D", "halves, divisor D", "halves, divisor D-2"}});
  say("For every column: which column of the interleaved table holds the same 50 numbers?");
  const std::vector<int> in_halves = same_columns(paper, halves);
  const std::vector<int> in_minus_2 = same_columns(paper, minus_2);
  equation("halves, divisor D    {}\nhalves, divisor D-2  {}", joined(in_halves),
           joined(in_minus_2));
  claim(in_halves == std::vector<int>({0, 2, 4, 6, 1, 3, 5, 7}), "halves is a permutation");
  claim(in_minus_2 == std::vector<int>({0, -1, -1, -1, 1, -1, -1, -1}), "D-2 is not a permutation");
  say("A permutation of the columns leaves every dot product between positions as it is, and a "
      "model can learn to undo it. Another divisor gives other frequencies:");
  const Tensor dots = matmul(paper, paper, Transpose::yes);
  agree("PE PE^T, interleaved and halves", dots, matmul(halves, halves, Transpose::yes));
  const double apart = max_difference(dots, matmul(minus_2, minus_2, Transpose::yes));
  equation("PE PE^T, interleaved and divisor D-2: max |difference| {}", fixed(apart, 4));
  claim(apart > 0.1, "the divisor D-2 gives other dot products");
  say("The divisor D-2 rules out size 2, and an odd size would leave a column unwritten:");
  refused(2, PositionLayout::halves_d_minus_2, "divisor D-2, D = 2");
  refused(7, PositionLayout::interleaved, "interleaved, D = 7");
  finding("[sin ... cos ...] permutes the paper's sin, cos, sin, cos; the divisor D-2 does not");
}

void rotation(Random& random) {
  section("Can the model see how far apart two words are?");
  say("Yes: moving on by k turns every clock hand by a fixed angle, wherever it points. The matrix "
      "R_k that does so depends on k only.");
  equation(
      "PE(pos + k) = R_k PE(pos)\n"
      "R_k = [ cos(k w_i)  sin(k w_i) ]   for every pair (sin, cos) of columns\n"
      "      [-sin(k w_i)  cos(k w_i) ]");
  const int d_model = 8, k = 3, pair = 1;
  const Tensor pe = sinusoidal_positions(1200, d_model);
  show("R_3 of pair 1 (w = 0.1)",
       from_xt<2>(xt::xtensor<float, 2>(
           xt::view(rotation_matrix(k, d_model), xt::range(2, 4), xt::range(2, 4)))));
  say("Solve for the cosine and sine that take pair 1 of PE(pos) to that of PE(pos + 3), at "
      "several positions, and do the same with a table of learned positions (fresh, random):");
  const LearnedPositions learned(1200, d_model, random);
  double least = 1, most = -1;  // of the learned table's cosines
  Table solved({"pos", "sinusoidal: cos", "sin", "learned: cos", "sin"});
  for (int pos : {0, 7, 100, 1000}) {
    const auto [c, s] = rotation_between(pe, pos, k, pair);
    const auto [lc, ls] = rotation_between(learned.weight, pos, k, pair);
    solved.row({std::to_string(pos), fixed(c), fixed(s), fixed(lc), fixed(ls)});
    least = std::min(least, lc), most = std::max(most, lc);
    claim(std::abs(c - portable::cos(0.3)) < 1e-5 && std::abs(s - portable::sin(0.3)) < 1e-5,
          "the rotation does not depend on the position");
  }
  solved.print();
  claim(most - least > 0.01, "in a random table the rotation does depend on it");
  say("All D columns and the positions 0 ... 999 at once, D = 64:");
  equation("xt::linalg::dot(PE, xt::transpose(R_k))  against  the rows k ... k + 999");
  const Tensor wide = sinusoidal_positions(1200, 64);
  for (int step : {1, 3, 10, 100}) {
    const xt::xtensor<float, 2> r = xt::transpose(rotation_matrix(step, 64));
    const xt::xtensor<float, 2> turned = xt::linalg::dot(to_xt<2>(slice(wide, 0, 0, 1000)), r);
    agree(words("k = {}", step), from_xt<2>(turned), slice(wide, 0, step, 1000));
  }
  finding("PE(pos + k) = R_k PE(pos): a linear map that depends on the distance k, not on pos");
}

void dot_products(const Options& options) {
  section("What does the dot product of two positions tell us?");
  equation("PE(p) . PE(p + k) = sum over i of cos(k w_i)          no p on the right");
  const Tensor pe = sinusoidal_positions(300, 64);
  const Tensor dots = matmul(pe, pe, Transpose::yes);  // (300, 300)
  const Values values = dots.values();
  const auto dot = [&](int a, int b) { return double(values[a * 300 + b]); };
  Table table({"distance k", "p = 0", "p = 10", "p = 100", "spread over p = 0 ... 199"});
  for (int k : {0, 1, 2, 5, 10, 50}) {
    double least = dot(0, k), most = least;
    for (int p = 0; p < 200; ++p) {
      least = std::min(least, dot(p, p + k));
      most = std::max(most, dot(p, p + k));
    }
    table.row({std::to_string(k), fixed(dot(0, k), 3), fixed(dot(10, 10 + k), 3),
               fixed(dot(100, 100 + k), 3), small(most - least)});
    claim(most - least < 1e-4, "the dot product depends on the distance only");
  }
  table.print();
  claim(std::abs(dot(50, 55) - dot(50, 45)) < 1e-4, "5 before and 5 after look alike");
  say("The product is the same for k and -k: before and after look alike until the learned "
      "matrices of attention tell sin from cos. And positions must be counted correctly. If seven "
      "words are numbered 1 2 3 4 5 6 0, as in code found on the web, the last is far from its "
      "neighbour:");
  claim(dot(6, 7) > dot(6, 0) + 0.1, "a wrong number puts the last word far from its neighbour");
  equation("PE(6) . PE(7) = {}     PE(6) . PE(0) = {}", fixed(dot(6, 7), 3), fixed(dot(6, 0), 3));
  const Tensor drawn = sinusoidal_positions(100, options.d_model, 0, options.layout);
  draw(options, "position_dot_products.svg",
       {.title =
            "PE(p) . PE(q) depends on the distance p - q only: it is the same along each diagonal",
        .values = matmul(drawn, drawn, Transpose::yes).values(),
        .row_count = 100,
        .column_count = 100,
        .row_title = "position p",
        .column_title = "position q"});
  gradient_of_each_hand(options);
  finding("PE(p) . PE(p + k) depends on the distance k only, and not on its sign");
}

void learned_positions(Random& random) {
  section("Could the model learn its positions instead?");
  const LearnedPositions learned(8, 16, random);
  say("It can: a second table, here (8, 16), is added row by row. It costs max_length * D "
      "parameters, starts without any geometry, and ends at max_length:");
  const Tensor x8 = Tensor::zeros({1, 8, 16}), x9 = Tensor::zeros({1, 9, 16});
  agree("8 words: x + weight", learned(x8), learned.weight.view({1, 8, 16}));
  const Phrase message = refusal([&] { learned(x9); });
  equation("9 words  ->  {}", message);
  claim(!message.empty(), "a ninth position is refused");
  claim(add_positions(x9, 100000).shape() == x9.shape(), "sinusoids never end");
  say("The sinusoids never end: position 100000 has a row as well, though no training ever reached "
      "it. The paper found both equally good at its sentence lengths (table 3, row E).");
  finding(
      "Learned positions are parameters and end at max_length; sinusoids are free and never end");
}

}  // namespace xf::lesson_01
