#pragma once

#include <string>
#include <utility>
#include <vector>

#include "autograd/tape.hpp"
#include "nn/init.hpp"
#include "nn/parameters.hpp"
#include "ops/reduce/reduce.hpp"
#include "support/close.hpp"
#include "tensor/random.hpp"

namespace xf::test {

// Finite differences in the float32 engine.
//
// The scalar is L = sum(w * y) for random w; its derivative along one number is taken with the
// 5-point stencil
//   L'(x) = (L(x-2h) - 8 L(x-h) + 8 L(x+h) - L(x+2h)) / 12h - h^4/30 L^(5)
// Two errors, and so two parts of the bound |numeric - gradient| <= round-off + tolerance * size:
//   round-off   The numerical side adds w * y up in double, so float32 enters through the y_i
//               alone, each off by about 2u |y_i| (u = 2^-24), independent of one another. L is
//               then off by 2u |w * y| (the Euclidean norm), and the stencil passes on 18/12h of
//               that: 1.5/h * 2u |w * y|. At h = 1/32 and |w * y| = 4 this is 2.3e-5.
//   truncation  h^4/30 L^(5) = 3e-8 L^(5): within 3e-4 of the tensor's largest gradient ("size")
//               as long as the fifth derivative is below 10^4 times the first.
// A wrong term, sign or factor is off by 1e-2 of the size or more. The check refuses a tensor
// whose gradients do not stand out from the round-off (size < 50 * round-off): it could not fail.
// Inputs stay away from kinks (relu).
struct GradCheck {
  double h = 1.0 / 32;
  double tolerance = 3e-4;
  int probes = 60;  // per tensor, evenly spread; all elements of smaller ones
};

// A leaf with independent normal numbers.
inline Tensor random_leaf(const Shape& shape, std::uint64_t seed, double deviation = 1) {
  Random random(seed);
  return normal(shape, deviation, random);
}

// A layer or model of these sizes, whose parameters are drawn with the seed.
template <class Layer, class... Sizes>
Layer drawn(std::uint64_t seed, const Sizes&... sizes) {
  Random random(seed);
  return Layer(sizes..., random);
}

// The parameters of a model under their names, drawn anew: gammas around 1, all others (biases
// too) with the given deviation, so that no path is dead.
template <class Model>
std::vector<std::pair<std::string, Tensor>> random_parameters(Model& model, std::uint64_t seed,
                                                              double deviation = 0.4) {
  std::vector<std::pair<std::string, Tensor>> leaves;
  Random random(seed);
  for (const NamedParameter& p : parameters(model)) {
    const double centre = p.name.ends_with("gamma") ? 1 : 0;
    replace_each(*p.tensor, [&](float) { return centre + deviation * random.normal(); });
    leaves.emplace_back(p.name, *p.tensor);
  }
  return leaves;
}

// Its parameters under their names, as they are.
template <class Model>
std::vector<std::pair<std::string, Tensor>> leaves_of(Model& model) {
  std::vector<std::pair<std::string, Tensor>> leaves;
  for (const NamedParameter& p : parameters(model)) leaves.emplace_back(p.name, *p.tensor);
  return leaves;
}

// sum(w * y) in double.
inline double weighted(const Tensor& y, const Tensor& w) {
  double total = 0;
  for (std::ptrdiff_t i = 0; i < y.count(); ++i)
    total += static_cast<double>(y.values()[i]) * w.values()[i];
  return total;
}

// The Euclidean norm of w * y.
inline double weighted_norm(const Tensor& y, const Tensor& w) {
  double squares = 0;
  for (std::ptrdiff_t i = 0; i < y.count(); ++i)
    squares += std::pow(static_cast<double>(y.values()[i]) * w.values()[i], 2);
  return std::sqrt(squares);
}

// Compares the tape's gradients of sum(w * f()) for each leaf that f uses with finite differences.
// The leaves are changed in place and restored. f: () -> Tensor, the same on every call.
template <class F>
void check_gradients(const std::string& what,
                     const std::vector<std::pair<std::string, Tensor>>& leaves, const F& f,
                     const GradCheck& how = {}) {
  const Tensor y = f();
  const Tensor weights = detach(random_leaf(y.shape(), 99));
  const double round_off = 1.5 / how.h * 0x1p-23 * weighted_norm(y, weights);
  const Gradients gradients = [&] {
    Tape tape;
    return tape.backward(weighted_sum(f(), weights));
  }();
  double size = 0;
  for (const auto& parameter : leaves) {
    const std::string& name = parameter.first;
    Tensor leaf = parameter.second;
    const Tensor& gradient = gradients.of(leaf);
    const std::string label = what + ": d" + name;
    REQUIRE_MESSAGE(gradient.defined(), label << " is missing");
    // The key bias has no gradient (golden.hpp): its round-off is measured against the weight's.
    if (!name.ends_with("w_k.bias")) size = largest(gradient);
    REQUIRE_MESSAGE(size >= 50 * round_off, label << " is too small to be checked: " << size
                                                  << ", the round-off is " << round_off);
    const double bound = round_off + how.tolerance * size;
    const std::ptrdiff_t step = std::max<std::ptrdiff_t>(1, leaf.count() / how.probes);
    for (std::ptrdiff_t i = 0; i < leaf.count(); i += step) {
      const float x = leaf.values()[i];
      const auto at = [&](double offset) {
        copy_into(leaf, {static_cast<float>(x + offset * how.h)}, i);
        return weighted(f(), weights);
      };
      const double numeric = (at(-2) - 8 * at(-1) + 8 * at(1) - at(2)) / (12 * how.h);
      copy_into(leaf, {x}, i);
      const double gap = std::abs(numeric - gradient.values()[i]);
      CHECK_MESSAGE(gap <= bound, label << index_text(leaf.shape(), i) << " is "
                                        << gradient.values()[i] << ", finite differences give "
                                        << numeric << ", " << gap / bound << " times the bound");
    }
  }
}

}  // namespace xf::test
