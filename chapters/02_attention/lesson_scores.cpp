// Lesson 2, sections 1 to 4: scores, softmax, and the factor 1 / sqrt(d_k).

#include <algorithm>

#include "02_attention/lesson.hpp"
#include "02_attention/lesson_equation.hpp"
#include "02_attention/mask.hpp"
#include "02_attention/saturation.hpp"
#include "ops/elementwise/elementwise.hpp"
#include "ops/reduce/reduce.hpp"
#include "plot/diagram.hpp"
#include "plot/heatmap.hpp"
#include "plot/lines.hpp"
#include "speech/show.hpp"
#include "tensor/portable_math.hpp"

namespace xf::lesson_02 {
namespace {

const std::vector<std::string> words = {"Beijing", "Winter", "Games"};

// Made up, so that every number can be checked by hand.
struct Example {
  Tensor q = Tensor::from({3, 2}, {1, 0, 0, 1, 2, 1});
  Tensor k = Tensor::from({3, 2}, {2, 0, 1, 1, 0, 1});
  Tensor v = Tensor::from({3, 2}, {1, 0, 0, 1, -1, 1});
};

// (T, D) -> (1, 1, T, D), as the layer wants it, and back.
Tensor lift(const Tensor& x) { return x.view({1, 1, x.size(0), x.size(1)}); }
Tensor flat(const Tensor& x) { return x.view({x.size(-2), x.size(-1)}); }

// A plane with its two axes; vectors start at its origin.
class Plane {
 public:
  Plane(Diagram& diagram, double x, double y, double unit)
      : diagram_(diagram), x_(x), y_(y), unit_(unit) {}

  double across(double x) const { return x_ + x * unit_; }
  double up(double y) const { return y_ - y * unit_; }
  void axes(double left, double right, double top) {
    for (const auto& [x, y] : {std::pair(right, 0.0), std::pair(0.0, top)})
      diagram_.arrow(across(x > 0 ? left : 0), up(0), across(x), up(y), ink::grey.line);
  }
  void vector(double x, double y, double to_x, double to_y, const Ink& ink,
              const std::string& dashes = "") {
    diagram_.arrow(across(x), up(y), across(to_x), up(to_y), ink.line, dashes);
  }
  void name(double x, double y, const Phrase& text, const Ink& ink, const char* anchor = "start") {
    diagram_.text(across(x), up(y), text, {.anchor = anchor, .fill = ink.line});
  }

 private:
  Diagram& diagram_;
  double x_, y_, unit_;
};

// The query of the last word among the keys, and the values that its weights mix.
//   weights: (3, 3)
void draw_vectors(const Example& e, const Tensor& weights, const Options& options) {
  const int row = 2;
  const Values q = e.q.values(), k = e.k.values(), v = e.v.values(), w = weights.values();
  Diagram diagram("One query as a vector: it weighs the keys, and the weights mix the values", 900,
                  290);
  Plane left(diagram, 60, 240, 130), right(diagram, 620, 240, 130);
  left.axes(0, 2.6, 1.4);
  const double qx = q[2 * row], qy = q[2 * row + 1];
  double x = 0, y = 0;  // the partial sum of the values
  right.axes(-1.3, 1.5, 1.4);
  for (int s = 0; s < 3; ++s) {
    const double kx = k[2 * s], ky = k[2 * s + 1], vx = v[2 * s], vy = v[2 * s + 1];
    const double weight = w[3 * row + s];
    const std::string& word = words[static_cast<std::size_t>(s)];
    left.vector(0, 0, kx, ky, ink::orange);
    left.name(kx + (ky > 0 ? 0.08 : -0.45), ky + (ky > 0 ? 0.08 : -0.18),
              xf::words("k {}: q · k = {}", word, fixed(qx * kx + qy * ky, 0)), ink::orange);
    right.vector(0, 0, vx, vy, ink::violet);
    right.name(vx < 0 ? vx : vx + 0.06, vy > 0 ? vy + 0.1 : vy - 0.16,
               xf::words("v {}, weight {}", word, fixed(weight, 2)), ink::violet,
               vx < 0 ? "middle" : "start");
    right.vector(x, y, x + weight * vx, y + weight * vy, ink::green, "4 3");
    x += weight * vx, y += weight * vy;
  }
  left.vector(0, 0, qx, qy, ink::blue);
  left.name(qx + 0.05, qy + 0.05, xf::words("q {}", words[row]), ink::blue);
  right.vector(0, 0, x, y, ink::blue);
  right.name(x + 0.1, y, xf::words("output ({}, {})", fixed(x, 2), fixed(y, 2)), ink::blue);
  diagram.text(60, 48, "The query and the keys: the longer a key is along q, the larger q · k.");
  diagram.text(500, 48, "The values, with their shares dashed, end to end.");
  write_picture(options, "vectors.svg", diagram.file());
}

// The largest weight that a forbidden key gets.
double leaked(const Tensor& weights, const Ids& allowed) {
  double most = 0;
  for (std::ptrdiff_t i = 0; i < weights.count(); ++i)
    if (allowed[i] == 0) most = std::max(most, double(weights.values()[i]));
  return most;
}

}  // namespace

void step_by_step(const Options& options) {
  section("Which words does a word look at?");
  say("Each word has a query (what it looks for), a key (what it offers) and a value (what it "
      "says). Here d_k = 2, and the numbers are made up so that you can check them by hand.");
  const Example e;
  show("q", e.q, {.rows = words});
  show("k", e.k, {.rows = words});
  show("v", e.v, {.rows = words});
  const xt::xtensor<float, 2> q = to_xt<2>(e.q), k = to_xt<2>(e.k), v = to_xt<2>(e.v);

  equation("scores = xt::linalg::dot(q, xt::transpose(k))              query . key");
  const xt::xtensor<float, 2> scores = xt::linalg::dot(q, xt::transpose(k));
  const Labels both = {.rows = words, .columns = words};
  show("scores", from_xt<2>(scores), both);
  equation("scaled = scores / std::sqrt(d_k)");
  const xt::xtensor<float, 2> scaled = scores / std::sqrt(2.0f);
  show("scaled", from_xt<2>(scaled), both);
  equation(
      "e = xt::exp(scaled)\n"
      "total = xt::sum(e, {1})                                    one number a row\n"
      "weights = e / xt::view(total, xt::all(), xt::newaxis())    every row sums to 1");
  const xt::xtensor<float, 2> weights = softmax_rows(scaled);
  show("weights", from_xt<2>(weights), both);
  equation("output = xt::linalg::dot(weights, v)                       a mixture of the values");
  const xt::xtensor<float, 2> output = xt::linalg::dot(weights, v);
  show("output", from_xt<2>(output), {.rows = words});

  Recorder recorder({"weights"});
  const Tensor attended = attention(lift(e.q), lift(e.k), lift(e.v));
  const Tensor attended_weights = recorder.of("weights");
  agree("weights of the layer and of the equation", flat(attended_weights), from_xt<2>(weights));
  agree("output of the layer and of the equation", flat(attended), from_xt<2>(output));
  attention(lift(e.k), lift(e.q), lift(e.v));
  const double swapped = max_difference(recorder.of("weights"), attended_weights);
  claim(swapped > 0.1, "with q and k swapped the weights differ");
  say("q and k are not interchangeable: with the two swapped, the weights differ by up to {}. Code "
      "that names a tensor kqv, splits it as (q, k, v) and passes on (k, q, v) may be right, but "
      "is one slip away from this.",
      fixed(swapped, 2));
  write_picture(options, "weights.svg",
                heatmap_svg({.title = "Attention weights",
                             .rows = words,
                             .columns = words,
                             .values = attended_weights.values(),
                             .row_count = 3,
                             .column_count = 3,
                             .row_title = "query",
                             .column_title = "key",
                             .range = std::pair{0.0f, 1.0f}}));
  draw_vectors(e, flat(attended_weights), options);
  blocks(options);
  finding("Attention = softmax(q k^T / sqrt(d_k)) v: each output is a weighted mean of the values");
}

void wrong_axis() {
  section("What if the softmax runs over the wrong axis?");
  const Example e;
  const xt::xtensor<float, 2> scaled =
      xt::linalg::dot(to_xt<2>(e.q), xt::transpose(to_xt<2>(e.k))) / std::sqrt(2.0f);
  const xt::xtensor<float, 2> wrong = xt::transpose(softmax_rows(xt::transpose(scaled)));
  show("softmax over axis 0, the queries", from_xt<2>(wrong), {.rows = words, .columns = words});
  const xt::xtensor<float, 1> sums = xt::sum(wrong, {1});
  show("sums of the rows", from_xt<1>(sums), {.columns = words});
  claim(std::abs(sums(2) - 1) > 0.1f, "softmax over axis 0 gives rows that do not sum to 1");
  say("The shape is right and no error appears; only the sums give the mistake away. In a decoder "
      "the consequence is worse, because a weight then depends on later queries.");
  finding("Softmax runs over the keys, the last axis. Test: every row of the weights sums to 1");
}

void why_scale(Random& random, const Options& options) {
  section("Why divide by sqrt(d_k)?");
  say("With components of variance 1, a score q . k has standard deviation sqrt(d_k). Take 256 "
      "random queries and 16 keys, and look at the softmax: its entropy (uniform would be ln 16 = "
      "2.77), its largest weight, and the norm of the gradient with respect to its exponents, the "
      "scores as they enter it. Each cell: unscaled / scaled by 1/sqrt(d_k).");
  Table table(
      {"d_k", "deviation of scores", "entropy", "largest weight", "gradient: mean", "median"});
  std::vector<Series> lines = {{"scaled by 1/sqrt(d_k)"}, {"not scaled"}};
  Saturation raw, scaled;
  double first_raw = 0, first_scaled = 0, steepest = 0, furthest = 0;
  for (int d_k : {4, 16, 64, 256, 1024}) {
    const Tensor q = normal({256, d_k}, 1, random), k = normal({16, d_k}, 1, random);
    const Tensor upstream = normal({256, 16}, 1, random);
    const Tensor scores = matmul(q, k, Transpose::yes);  // (256, 16)
    raw = Saturation::of(scores, upstream);
    scaled = Saturation::of(scale(scores, 1 / std::sqrt(float(d_k))), upstream);
    const auto both = [&](double Saturation::*quantity, int decimals) {
      return fixed(raw.*quantity, decimals) + " / " + fixed(scaled.*quantity, decimals);
    };
    table.row({std::to_string(d_k), both(&Saturation::deviation, 2), both(&Saturation::entropy, 3),
               both(&Saturation::largest, 3), both(&Saturation::gradient, 3),
               small(raw.median) + " / " + small(scaled.median)});
    lines[0].add(d_k, scaled.gradient);
    lines[1].add(d_k, raw.gradient);
    if (d_k == 4) first_raw = raw.gradient, first_scaled = scaled.gradient;
    steepest = std::max(steepest, raw.steepest);
    for (float u : upstream.values()) furthest = std::max(furthest, std::abs(double(u)));
  }
  table.print();
  claim(raw.gradient < 0.25 * first_raw, "unscaled, the gradient vanishes");
  claim(scaled.gradient > 0.7 * first_scaled, "scaled, the gradient stays");
  claim(raw.median < 0.01 * raw.gradient, "unscaled, most rows have no gradient left");
  claim(steepest <= 0.5 * furthest + 1e-6, "the gradient cannot explode");
  say("It is often said that large scores make the gradient explode. They cannot: dx_j = y_j (dy_j "
      "- sum_k y_k dy_k), and |dx_j| never exceeds half of the largest |dy|. Here the largest |dx| "
      "is {} and the largest |dy| is {}. What large scores really do is make the gradient vanish: "
      "a softmax that puts all its weight on one key has slope 0.",
      fixed(steepest, 2), fixed(furthest, 2));
  write_picture(
      options, "saturation.svg",
      line_chart_svg(
          {.title = xf::words(
               "At d_k = 1024 the gradient is {} with unscaled scores, {} with scaled ones",
               fixed(raw.gradient, 3), fixed(scaled.gradient, 3)),
           .x_title = "d_k",
           .y_title = "mean norm of the gradient",
           .series = lines,
           .log_x = true}));
  finding("Unscaled scores saturate the softmax: at d_k = 1024 the gradient is {}, scaled {}",
          fixed(raw.gradient, 3), fixed(scaled.gradient, 3));
}

void scale_and_mask(Random& random, const Options& options) {
  section("First scale, then mask - or the reverse?");
  say("A common version adds a mask of large negative numbers to q . k and divides the sum by "
      "sqrt(d_k) afterwards. That shrinks the mask too. For 8 words and d_k = 64, where each word "
      "may see itself and what came before, the table shows the largest weight that a forbidden "
      "word gets:");
  const Tensor q = normal({8, 64}, 1, random), k = normal({8, 64}, 1, random);
  const Tensor scores = matmul(q, k, Transpose::yes);  // (8, 8)
  const Mask causal = causal_mask(8, 8);
  const Ids allowed = causal.allowed();
  const xt::xtensor<bool, 2> may = xt::adapt(allowed.values(), {8, 8});
  Table table({"mask value", "scale, then add the mask", "add the mask, then scale"});
  double harmless = 1, right = 1, wrong = 0;
  for (float value : {-1e9f, -100.0f, options.mask_value}) {
    const xt::xtensor<float, 2> s = to_xt<2>(scores), m = xt::where(may, 0.0f, value);
    const Tensor good = from_xt<2>(softmax_rows(s / 8.0f + m));
    const Tensor bad = from_xt<2>(softmax_rows((s + m) / 8.0f));
    right = leaked(good, allowed), wrong = leaked(bad, allowed);
    if (value == -1e9f) harmless = std::max(right, wrong);
    const std::string name = value == -1e9f ? "-1e9" : fixed(value, 0);
    table.row({name, small(right), small(wrong)});
  }
  const Tensor layer = softmax(lift(scores), {.scale = 1.0f / 8, .mask = causal});
  const double ours = leaked(layer, allowed);
  table.row({"boolean (this project)", small(ours), "-"});
  table.print();
  claim(ours == 0 && harmless == 0, "a boolean mask and -1e9 let nothing through");
  claim(wrong >= right, "masking before scaling weakens the mask");
  say("The reverse order is harmless only because -1e9 is so large. Here a mask means \"may "
      "attend\" and is an input to the softmax: there is no number to choose.");
  finding("Mask after scaling: a mask of {} added before it leaks a weight of {} ({} after it)",
          fixed(options.mask_value, 0), fixed(wrong, 3), small(right));
}

}  // namespace xf::lesson_02
