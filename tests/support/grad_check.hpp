#pragma once

#include <string>
#include <utility>
#include <vector>

#include "autograd/tape.hpp"
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
// The numerical side adds w * y up in double, so the only float32 error is that of the y_i
// themselves: u = 6e-8 times a few roundings each, independent of one another. With n outputs of
// size 1 that depend on x, L carries an error of about 2 u sqrt(n), and the stencil passes on
// 18/12h of it:
//   round-off  1.5 / h * 2 u sqrt(n)  =  2.3e-5  for h = 1/32, n = 16
//   truncation h^4 / 30 * L^(5)       =  3e-8 L^(5), 3e-6 for a fifth derivative of 100
// Against gradients of size 1 (0.3 in the worst tensors here) this is below 1e-4; the tolerance,
// relative to the tensor's largest gradient, is 3e-4. A wrong term, sign or factor in a backward
// is off by 1e-2 or more. The steps h are powers of two, and inputs stay away from kinks (relu).
struct GradCheck {
  double h = 1.0 / 32;
  double tolerance = 3e-4;
  int probes = 60;  // per tensor, evenly spread; all elements of smaller ones
};

// A leaf with independent normal numbers.
inline Tensor random_leaf(const Shape& shape, std::uint64_t seed, double deviation = 1) {
  Random random(seed);
  Tensor x = Tensor::empty(shape);
  for (std::ptrdiff_t i = 0; i < x.count(); ++i)
    x.data()[i] = static_cast<float>(deviation * random.normal());
  return parameter(x);
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
    for (std::ptrdiff_t i = 0; i < p.tensor->count(); ++i)
      p.tensor->data()[i] = static_cast<float>(centre + deviation * random.normal());
    leaves.emplace_back(p.name, *p.tensor);
  }
  return leaves;
}

// sum(w * y) in double.
inline double weighted(const Tensor& y, const Tensor& w) {
  double total = 0;
  for (std::ptrdiff_t i = 0; i < y.count(); ++i)
    total += static_cast<double>(y.data()[i]) * w.data()[i];
  return total;
}

// Compares the tape's gradients of sum(w * f()) for each leaf that f uses with finite differences.
// The leaves are changed in place and restored. f: () -> Tensor, the same on every call.
template <class F>
void check_gradients(const std::string& what,
                     const std::vector<std::pair<std::string, Tensor>>& leaves, const F& f,
                     const GradCheck& how = {}) {
  const Tensor weights = detach(random_leaf(f().shape(), 99));
  const Gradients gradients = [&] {
    Tape tape;
    return tape.backward(weighted_sum(f(), weights));
  }();
  double size = 0;
  for (auto [name, leaf] : leaves) {
    const Tensor& gradient = gradients.of(leaf);
    const std::string label = what + ": d" + name;
    REQUIRE_MESSAGE(gradient.defined(), label << " is missing");
    // The key bias has no gradient (golden.hpp): its round-off is measured against the weight's.
    if (!name.ends_with("w_k.bias")) size = largest(gradient);
    const std::ptrdiff_t step = std::max<std::ptrdiff_t>(1, leaf.count() / how.probes);
    for (std::ptrdiff_t i = 0; i < leaf.count(); i += step) {
      const float x = leaf.data()[i];
      const auto at = [&](double offset) {
        leaf.data()[i] = static_cast<float>(x + offset * how.h);
        return weighted(f(), weights);
      };
      const double numeric = (at(-2) - 8 * at(-1) + 8 * at(1) - at(2)) / (12 * how.h);
      leaf.data()[i] = x;
      const double gap = std::abs(numeric - gradient.data()[i]);
      CHECK_MESSAGE(gap <= how.tolerance * size,
                    label << index_text(leaf.shape(), i) << " is " << gradient.data()[i]
                          << ", finite differences give " << numeric << ", "
                          << gap / (how.tolerance * size) << " times the tolerance");
    }
  }
}

}  // namespace xf::test
