#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "nn/init.hpp"
#include "ops/elementwise/elementwise.hpp"
#include "ops/embedding/embedding.hpp"
#include "ops/shape/shape_ops.hpp"
#include "tensor/error.hpp"
#include "tensor/portable_math.hpp"

namespace xf {

// Three layouts of the same idea are in circulation. The project uses `interleaved`, the paper's.
enum class PositionLayout {
  interleaved,  // sin, cos, sin, cos, …           divisor D      Vaswani et al. 2017, 3.5
  halves,       // sin, …, sin, cos, …, cos        divisor D      a permutation of the above
  halves_d_minus_2,  // sin, …, sin, cos, …, cos        divisor D - 2  other frequencies
};

// PE(pos, 2i) = sin(pos / 10000^(2i/D)),  PE(pos, 2i+1) = cos(pos / 10000^(2i/D))
// for the positions first ... first + length - 1.   returns (length, D), D even
// `base` is 10000 in the paper; with a larger base, the last columns oscillate more slowly.
// Throws std::invalid_argument for an odd D, and for D = 2 with the divisor D - 2.
inline Tensor sinusoidal_positions(int length, int d_model, int first = 0,
                                   PositionLayout layout = PositionLayout::interleaved,
                                   double base = 10000) {
  const int divisor = layout == PositionLayout::halves_d_minus_2 ? d_model - 2 : d_model;
  if (d_model % 2 != 0 || divisor <= 0)
    throw InvalidArgument("sinusoidal_positions: no encoding of size {} in this layout", d_model);
  const int pairs = d_model / 2;
  std::vector<float> table(static_cast<std::size_t>(length) * d_model);
  for (int row = 0; row < length; ++row)
    for (int i = 0; i < pairs; ++i) {
      const double angle = (first + row) / portable::pow(base, 2.0 * i / divisor);
      const bool interleaved = layout == PositionLayout::interleaved;
      float* pe = table.data() + std::ptrdiff_t(row) * d_model;
      pe[interleaved ? 2 * i : i] = static_cast<float>(portable::sin(angle));
      pe[interleaved ? 2 * i + 1 : pairs + i] = static_cast<float>(portable::cos(angle));
    }
  return Tensor::from({length, d_model}, table);
}

// Adds the sinusoidal encoding to x.
//   x: (B, T, D), holding the positions first ... first + T - 1   returns (B, T, D)
inline Tensor add_positions(const Tensor& x, int first = 0) {
  return x + sinusoidal_positions(x.size(1), x.size(2), first);
}

// The same encoding from a table: in a decoding step, computing sines and cosines would take longer
// than all the norms. Positions beyond the table are computed on demand.
struct PositionTable {
  Tensor rows;  // (L, D)

  PositionTable(int length, int d_model) : rows(sinusoidal_positions(length, d_model)) {}

  // These positions, in any order.   returns (N, D)
  Tensor operator()(std::vector<int> positions) const {
    const auto [first, last] = std::minmax_element(positions.begin(), positions.end());
    if (positions.empty() || *last < rows.size(0)) return gather_rows(rows, positions);
    const int least = *first;
    const Tensor beyond = sinusoidal_positions(*last - least + 1, rows.size(1), least);
    for (int& position : positions) position -= least;
    return gather_rows(beyond, positions);
  }
};

// The alternative: a learned vector per position, up to max_length.
struct LearnedPositions {
  Tensor weight;  // (max_length, D)

  LearnedPositions(int max_length, int d_model, Random& random)
      : weight(normal({max_length, d_model}, 0.02, random)) {}

  // x: (B, T, D)   returns (B, T, D). Throws std::invalid_argument when T > max_length.
  Tensor operator()(const Tensor& x) const { return x + slice(weight, 0, 0, x.size(1)); }

  // The vectors of these positions, in any order.   returns (N, D). Throws std::invalid_argument
  // for a position outside [0, max_length).
  Tensor at(const std::vector<int>& positions) const {
    const int count = static_cast<int>(positions.size());
    const Ids ids({1, count}, std::span<const std::int32_t>(positions));
    const Tensor rows = embedding(ids, weight);
    return reshape(rows, {count, weight.size(1)});  // (N, D)
  }

  template <class Visitor>
  void visit(Visitor&& v) {
    v("weight", weight);
  }
};

}  // namespace xf
