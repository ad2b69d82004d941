#include "05_encoder/program/sentence_map.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "language/language.hpp"
#include "ops/matmul/matmul.hpp"
#include "plot/svg.hpp"
#include "tensor/random.hpp"

namespace xf::lesson_05 {

namespace {

using Square = std::vector<double>;  // (N, N)

// p[i, j] of the paper: exp(-beta_i |x_i - x_j|^2), each row with the same entropy log(perplexity),
// then symmetrised and scaled to sum 1. Since |x| = 1, the squared distance is 2 - 2 <x_i, x_j>.
Square closeness(const Tensor& directions, double perplexity) {
  const Values cosines = matmul(directions, directions, Transpose::yes).values();
  const std::size_t n = std::size_t(directions.size(0));
  Square p(n * n), both(n * n);
  const auto distance = [&](std::size_t i, std::size_t j) {
    return 2 - 2 * double(cosines[i * n + j]);
  };
  for (std::size_t i = 0; i < n; ++i) {
    double nearest = 4;  // its term becomes 1, so that the sum cannot underflow
    for (std::size_t j = 0; j < n; ++j)
      if (j != i) nearest = std::min(nearest, distance(i, j));
    double beta = 1, low = 0, high = 0;  // high: 0 until an upper bound is known
    for (int step = 0; step < 60; ++step) {
      double sum = 0, mean = 0;
      for (std::size_t j = 0; j < n; ++j) {
        const double farther = distance(i, j) - nearest;
        p[i * n + j] = i == j ? 0 : std::exp(-beta * farther);
        sum += p[i * n + j], mean += p[i * n + j] * farther;
      }
      for (std::size_t j = 0; j < n; ++j) p[i * n + j] /= sum;
      const double entropy = std::log(sum) + beta * mean / sum;
      (entropy > std::log(perplexity) ? low : high) = beta;
      beta = high == 0 ? 2 * beta : (low + high) / 2;
    }
  }
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      both[i * n + j] = (p[i * n + j] + p[j * n + i]) / (2 * double(n));
  return both;
}

// One step of gradient descent,
//   dC/dy_i = 4 sum over j of (p_ij - q_ij) (y_i - y_j) / (1 + |y_i - y_j|^2)
// on the divergence of q from p, where q_ij is 1 / (1 + |y_i - y_j|^2), normalised to sum one.
// Momentum, and gains after Jacobs (1988), are as in the paper.
struct Descent {
  std::vector<PlanePoint> y, velocity, gain;

  void step(const Square& p, double times, double momentum) {
    const std::size_t n = y.size();
    const double rate = std::max(50.0, double(n) / 12);
    Square near(n * n);
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        const double dx = y[i].x - y[j].x, dy = y[i].y - y[j].y;
        sum += near[i * n + j] = i == j ? 0 : 1 / (1 + dx * dx + dy * dy);
      }
    std::vector<PlanePoint> gradient(n);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        const double q = near[i * n + j], pull = 4 * (times * p[i * n + j] - q / sum) * q;
        gradient[i].x += pull * (y[i].x - y[j].x), gradient[i].y += pull * (y[i].y - y[j].y);
      }
    const auto move = [&](double slope, double& faster, double& speed, double& at) {
      faster = std::max(0.01, slope * speed < 0 ? faster + 0.2 : faster * 0.8);
      speed = momentum * speed - rate * faster * slope;
      at += speed;
    };
    for (std::size_t i = 0; i < n; ++i) {
      move(gradient[i].x, gain[i].x, velocity[i].x, y[i].x);
      move(gradient[i].y, gain[i].y, velocity[i].y, y[i].y);
    }
  }
};

// Okabe and Ito, 2008; orange and sky blue are darkened here, to be legible as text on white.
constexpr const char* colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                   "#b07d00", "#3a8fc0", "#000000"};

// The sentence of each group whose direction is closest to the group's mean.
std::vector<std::size_t> centres(const std::vector<MappedSentence>& sentences,
                                 const Tensor& directions) {
  const Values x = directions.values();
  const std::size_t width = std::size_t(directions.size(1));
  std::vector<std::size_t> found;
  for (std::size_t group = 0; group <= sentences.back().group; ++group) {
    std::vector<double> mean(width);
    for (std::size_t i = 0; i < sentences.size(); ++i)
      for (std::size_t c = 0; c < width; ++c)
        mean[c] += sentences[i].group == group ? double(x[i * width + c]) : 0;
    std::size_t best = 0;
    double most = -INFINITY;
    for (std::size_t i = 0; i < sentences.size(); ++i) {
      double product = 0;
      for (std::size_t c = 0; c < width; ++c) product += mean[c] * double(x[i * width + c]);
      if (sentences[i].group == group && product > most) best = i, most = product;
    }
    found.push_back(best);
  }
  return found;
}

}  // namespace

std::vector<PlanePoint> plane_of(const Tensor& directions, std::uint64_t seed) {
  const std::size_t n = std::size_t(directions.size(0));
  const Square p = closeness(directions, std::min(15.0, double(n - 1) / 2));
  Random random(seed);
  Descent descent{std::vector<PlanePoint>(n), std::vector<PlanePoint>(n),
                  std::vector<PlanePoint>(n, {1, 1})};
  for (PlanePoint& point : descent.y) point = {1e-2 * random.normal(), 1e-2 * random.normal()};
  for (int step = 0; step < 750; ++step)  // early exaggeration pulls the groups together
    descent.step(p, step < 250 ? 12 : 1, step < 250 ? 0.5 : 0.8);
  return descent.y;
}

std::string sentence_map_svg(const std::vector<MappedSentence>& sentences, const Tensor& directions,
                             std::uint64_t seed) {
  constexpr double width = 720, height = 520, edge = 24, top = 40, row = 20;
  const std::vector<PlanePoint> points = plane_of(directions, seed);
  const auto of_x =
      std::minmax_element(points.begin(), points.end(), [](auto a, auto b) { return a.x < b.x; });
  const auto of_y =
      std::minmax_element(points.begin(), points.end(), [](auto a, auto b) { return a.y < b.y; });
  const auto placed = [](double at, double low, double high, double first, double last) {
    return first + (last - first) * (high > low ? (at - low) / (high - low) : 0.5);
  };
  const auto number_of = [](std::size_t group) { return std::to_string(group + 1); };
  const auto colour = [](std::size_t group) { return colours[group % std::size(colours)]; };
  Svg svg;
  svg.text(edge, 20, words("{} sentences: close points have close directions", sentences.size()),
           {.size = 14, .bold = true});
  svg.frame(edge / 2, top, width - edge, height);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto& [text, group] = sentences[i];
    const double x = placed(points[i].x, of_x.first->x, of_x.second->x, 2 * edge, width - 2 * edge),
                 y = top + placed(points[i].y, of_y.first->y, of_y.second->y, edge, height - edge);
    svg.text(x, y, number_of(group), {.anchor = "middle", .fill = colour(group), .bold = true});
    svg.circle(x, y, 9, "transparent", text);
  }
  double y = top + height + row;
  if (sentences.back().group > 0)
    for (const std::size_t i : centres(sentences, directions)) {
      const auto& [text, group] = sentences[i];
      svg.text(edge, y, number_of(group), {.fill = colour(group), .bold = true});
      svg.text(edge + 26, y, shortened(text, (width - 3 * edge) / 12));
      y += row;
    }
  return svg.file(width, y);
}

}  // namespace xf::lesson_05
