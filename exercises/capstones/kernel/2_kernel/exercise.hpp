#pragma once

#include <cstdint>
#include <vector>

#include "support/kit.hpp"
#include "tensor/vectors.hpp"

namespace xf::exercise {

// 16 numbers side by side, in as many registers as that takes: the same sums on every processor.
// Operators work number by number.
struct Lanes {
  kernel::Sixteen at;

  static Lanes all(float x) {
    Lanes y;
#pragma GCC unroll 4
    for (int i = 0; i < kernel::Sixteen::count; ++i) y.at.part[i] = kernel::Vector{} + x;
    return y;
  }
  // The first `count`, and 0 behind them.
  Lanes first(int count) const {
    float numbers[16];
    std::memcpy(numbers, at.part, sizeof numbers);
    for (int i = count; i < 16; ++i) numbers[i] = 0;
    Lanes y;
    std::memcpy(y.at.part, numbers, sizeof numbers);
    return y;
  }
  float sum() const {
    const kernel::Quarter q = kernel::quarter_of(at);
    return (q[0] + q[2]) + (q[1] + q[3]);
  }
};
template <class Operation>
[[gnu::always_inline]] inline Lanes each(const Lanes& a, const Lanes& b, const Operation& with) {
  Lanes y;
#pragma GCC unroll 4
  for (int i = 0; i < kernel::Sixteen::count; ++i) y.at.part[i] = with(a.at.part[i], b.at.part[i]);
  return y;
}
[[gnu::always_inline]] inline Lanes operator+(const Lanes& a, const Lanes& b) {
  return each(a, b, [](const kernel::Vector& x, const kernel::Vector& y) { return x + y; });
}
[[gnu::always_inline]] inline Lanes operator-(const Lanes& a, const Lanes& b) {
  return each(a, b, [](const kernel::Vector& x, const kernel::Vector& y) { return x - y; });
}
[[gnu::always_inline]] inline Lanes operator*(const Lanes& a, const Lanes& b) {
  return each(a, b, [](const kernel::Vector& x, const kernel::Vector& y) { return x * y; });
}

// How a kernel that is to be fast comes to its numbers. With a count below 16 only so many are
// read, the rest is 0, or written.
struct Direct {
  using Number = Lanes;

  [[gnu::always_inline]] Lanes load(const float* from) const {
    Lanes y;
#pragma GCC unroll 4
    for (int i = 0; i < kernel::Sixteen::count; ++i)
      y.at.part[i] = kernel::load(from + i * kernel::lanes);
    return y;
  }
  Lanes load(const float* from, int count) const {
    float numbers[16] = {};
    std::memcpy(numbers, from, std::size_t(count) * sizeof(float));
    return load(numbers);
  }
  [[gnu::always_inline]] void store(float* to, const Lanes& x) const {
#pragma GCC unroll 4
    for (int i = 0; i < kernel::Sixteen::count; ++i)
      kernel::store(to + i * kernel::lanes, x.at.part[i]);
  }
  // Asks for the line of a number that will be read soon, and does not wait for it.
  [[gnu::always_inline]] void fetch(const float* at) const { __builtin_prefetch(at); }
  void store(float* to, const Lanes& x, int count) const {
    std::memcpy(to, x.at.part, std::size_t(count) * sizeof(float));
  }
};

// The same numbers, and every operation counted.
struct Counted {
  Lanes numbers;
  inline static std::int64_t operations = 0;  // of numbers; of registers a sixteenth

  static Counted all(float x) { return {Lanes::all(x)}; }
  Counted first(int count) const { return {numbers.first(count)}; }
  float sum() const {
    operations += 15;
    return numbers.sum();
  }
  static Counted of(const Lanes& numbers) {
    operations += 16;
    return {numbers};
  }
};
inline Counted operator+(const Counted& a, const Counted& b) {
  return Counted::of(a.numbers + b.numbers);
}
inline Counted operator-(const Counted& a, const Counted& b) {
  return Counted::of(a.numbers - b.numbers);
}
inline Counted operator*(const Counted& a, const Counted& b) {
  return Counted::of(a.numbers * b.numbers);
}

// A number that was read or written: its address, as a number of floats.
struct Touched {
  std::int64_t place;
  bool write;
};

// How the same kernel is counted: what it reads and writes, one number after the other.
struct Recorder {
  using Number = Counted;
  std::vector<Touched> touches = {};

  void note(const float* at, int count, bool write) {
    for (int i = 0; i < count; ++i)
      touches.push_back({std::int64_t(reinterpret_cast<std::intptr_t>(at + i) / 4), write});
  }
  void fetch(const float*) {}
  Counted load(const float* from, int count = 16) {
    note(from, count, false);
    return {Direct{}.load(from, count)};
  }
  void store(float* to, const Counted& x, int count = 16) {
    note(to, count, true);
    Direct{}.store(to, x.numbers, count);
  }
};

// What stands between two blocks of a model with pre-norm: the residual, and its layer norm.
//   x, r: (rows, columns)   gamma, beta: (columns)   s, y: (rows, columns); none overlaps another
//   s = x + r,   y = gamma (s - mean) / sqrt(variance + eps) + beta     by rows; Ba et al. 2016
// The variance is the mean of the squared deviations.
struct ResidualNorm {
  const float *x, *r, *gamma, *beta;
  float *s, *y;
  int columns;
  float eps;
};

// The rows [first, last), read and written through `memory`. Through memory comes, for each number,
// at least x and r once, s and y once: no more than that, where the cache holds a few rows. Nothing
// outside of these rows is read or written.
template <class Memory>
void residual_norm(Memory& memory, const ResidualNorm& of, std::ptrdiff_t first,
                   std::ptrdiff_t last);
extern template void residual_norm(Direct&, const ResidualNorm&, std::ptrdiff_t, std::ptrdiff_t);
extern template void residual_norm(Recorder&, const ResidualNorm&, std::ptrdiff_t, std::ptrdiff_t);

// All rows, shared by the threads (parallel_for, tensor/parallel.hpp): the same digits with any
// number of them.
void residual_norm(const ResidualNorm& of, std::ptrdiff_t rows);

}  // namespace xf::exercise
