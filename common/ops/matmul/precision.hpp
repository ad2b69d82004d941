#pragma once

#include <array>

namespace xf {

// The precision of matrix products on a GPU, including those in packed attention. With any of them,
// parameters, activations, gradients and Adam's averages stay float32, and so do the sums of a
// product:
//   tf32   each factor with 10 mantissa bits instead of 23
//   bf16   each factor as bfloat16, the upper half of a float, with 7 mantissa bits
// A factor is rounded to the nearest such number, ties to even. A product of two such numbers is
// exact in float32; the only error is the rounding of each factor, at most 2^-11 or 2^-8 of it.
// Tensor cores multiply such numbers many times as fast.
enum class Precision { float32, tf32, bf16 };

constexpr std::array<const char*, 3> names_of(Precision) { return {"float32", "tf32", "bf16"}; }

// The current precision, initially float32. Products on the CPU are always float32.
Precision product_precision();

// While it is alive, products have this precision.
class ProductPrecision {
 public:
  explicit ProductPrecision(Precision precision);
  ~ProductPrecision();
  ProductPrecision(const ProductPrecision&) = delete;
  ProductPrecision& operator=(const ProductPrecision&) = delete;

 private:
  Precision before_;
};

}  // namespace xf
