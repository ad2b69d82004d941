#pragma once

#include <cmath>
#include <numbers>
#include <vector>

#include "09_since_2017/config.hpp"
#include "ops/rotary/rotary.hpp"
#include "tensor/portable_math.hpp"

namespace xf {

// Rotary positions: at position t, pair i of a query or key is rotated by the angle t w_i,
//   w_i = base^(-2i / Dk),   i = 0 ... Dk/2 - 1                     Su et al. 2021, eq. 15
// Call this rotation R_t. It turns from a pair's first number towards its second; the R_k of
// chapter 1, whose pairs are (sin, cos), turns the other way and is R_(-k) here. As R_t^T R_s =
// R_(s-t), a score depends only on the distance, (R_t q) . (R_s k) = q . R_(s-t) k, and no key
// changes when the text grows.
struct RotaryPositions {
  std::vector<float> frequencies;  // w_i

  RotaryPositions(int d_k, double base, const RotaryScaling& scaling = {}) {
    for (int i = 0; i < d_k / 2; ++i) {
      const auto exponent = static_cast<double>(static_cast<float>(2 * i) / float(d_k));
      const auto power = static_cast<float>(portable::pow(base, exponent));
      frequencies.push_back(scaled(1 / power, scaling));
    }
  }

  // For the positions first ... first + count - 1.   returns (count, Dk): cosines, then sines
  Tensor turns(int first, int count) const {
    const std::size_t half = frequencies.size();
    std::vector<float> numbers(static_cast<std::size_t>(count) * 2 * half);
    for (int t = 0; t < count; ++t)
      for (std::size_t i = 0; i < half; ++i) {
        const float angle = static_cast<float>(first + t) * frequencies[i];
        float* row = numbers.data() + static_cast<std::size_t>(t) * 2 * half;
        row[i] = static_cast<float>(portable::cos(static_cast<double>(angle)));
        row[half + i] = static_cast<float>(portable::sin(static_cast<double>(angle)));
      }
    return Tensor::from({count, static_cast<int>(2 * half)}, numbers);
  }

  // For texts longer than those of the training: a pair that made fewer than low_frequency turns
  // within that length rotates `factor` times slower, one that made more than high_frequency turns
  // is unchanged, those in between are interpolated.                Llama 3's published code
  static float scaled(float w, const RotaryScaling& s) {
    const auto slow = static_cast<float>(w / s.factor);
    if (s.kind == RotaryScaling::Kind::none) return w;
    if (s.kind == RotaryScaling::Kind::linear) return slow;
    const double turned = s.original_length * static_cast<double>(w) / (2 * std::numbers::pi);
    if (turned < s.low_frequency) return slow;
    if (turned > s.high_frequency) return w;
    const double share = (turned - s.low_frequency) / (s.high_frequency - s.low_frequency);
    return static_cast<float>((1 - share) * static_cast<double>(slow) +
                              share * static_cast<double>(w));
  }
};

}  // namespace xf
