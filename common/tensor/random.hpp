#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <utility>

#include "tensor/portable_math.hpp"

namespace xf {

// A 64-bit mixing function (splitmix64's finalizer): equal inputs give equal outputs on every
// machine, and flipping one input bit flips half of the output bits.
constexpr std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

// A counter-based random generator: the same seed gives the same numbers everywhere, and the
// whole state is two integers, so that a resumed run continues exactly.
class Random {
 public:
  explicit Random(std::uint64_t seed, std::uint64_t stream = 0) : key_(mix(seed ^ mix(stream))) {}
  // For parameters that will be loaded from a file: none are drawn, and they must not be read
  // before (nn/init.hpp).
  static Random none() {
    Random random(0);
    random.draws_ = false;
    return random;
  }
  bool draws() const { return draws_; }

  std::uint64_t bits() { return mix(key_ + counter_++ * 0x9e3779b97f4a7c15ull); }
  // In [0, 1).
  double uniform() { return static_cast<double>(bits() >> 11) * 0x1.0p-53; }
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  // In [0, n); n must be positive.
  int below(int n) { return static_cast<int>(bits() % static_cast<std::uint64_t>(n)); }
  // Mean 0, variance 1 (Box-Muller; the second value of each pair is dropped).
  double normal() {
    const double radius = std::sqrt(-2 * portable::log(1 - uniform()));
    return radius * portable::cos(2 * std::numbers::pi * uniform());
  }
  // Shuffles [first, last) (Fisher-Yates).
  template <class Iterator>
  void shuffle(Iterator first, Iterator last) {
    for (auto n = last - first; n > 1; --n)
      std::swap(first[n - 1], first[below(static_cast<int>(n))]);
  }

 private:
  std::uint64_t key_;
  std::uint64_t counter_ = 0;
  bool draws_ = true;
};

}  // namespace xf
