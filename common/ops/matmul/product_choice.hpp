#pragma once

#include <optional>
#include <span>

#include "ops/matmul/gemm.hpp"
#include "tensor/arithmetic.hpp"

namespace xf::kernel {

// How a product is computed. The fastest way depends on its shape, on the format of its weights and
// on the number of threads; the choice is made here.
enum class ProductPath {
  few_rows,     // each weight read once, in place (skinny.hpp)
  panels,       // B copied into panels first (panels.hpp)
  openblas,     // `fast` only
  kept_panels,  // the panels that a session keeps of B
  eight_bits    // the session's copy of B in 8 bits
};
constexpr const char* name_of(ProductPath path) {
  constexpr const char* names[] = {"few rows", "panels", "OpenBLAS", "kept panels", "8 bits"};
  return names[static_cast<std::size_t>(path)];
}

// C (m, n) = A (m, k) B (k, n).
struct ProductShape {
  int m, n, k;
  bool a_transposed = false, b_transposed = false;

  double work() const { return double(m) * n * k; }
  double weights() const { return double(n) * k; }
};
inline ProductShape shape_of(const Matrix& a, const Matrix& b) {
  return {a.rows, b.columns, a.columns, a.transposed, b.transposed};
}

// The form in which B = W^T is read; a decoding session keeps all but the first.
enum class WeightForm { floats, panels, eight_bits };

// Which factor is transposed: in at_b it is A, and B may be either.
enum class ProductKind { any, a_b, a_bt, at_b };

// The products for which a path is chosen: those within all the bounds. A bound that is not set
// does not apply.
struct ProductRule {
  ProductPath path;
  ProductKind kind = ProductKind::any;
  int min_m = 0, max_m = 1 << 30;
  int min_n = 0, max_n = 1 << 30;
  int n_divisor = 1;
  int min_k = 0, max_k = 1 << 30;
  int k_for_a_row = 0;  // k is at least this many times m
  double min_weights = 0, min_work = 0, max_work = 1e300;
  double max_sums = 1e300, min_a = 0, max_a = 1e300;  // numbers in C; in A

  bool holds(const ProductShape& shape) const;
};

// The rules for this processor and this OpenBLAS, in order: the first one that holds decides.
// Their bounds come from `bench products`, which prints them with the gain of each
// (docs/results/logs/products-*.txt).
std::span<const ProductRule> product_rules(Arithmetic arithmetic);

// The path that the rules give for one thread. In `same` arithmetic no choice changes a digit.
ProductPath path_of(const ProductShape& shape, Arithmetic arithmetic);

struct ProductChoice {
  ProductPath path;  // of each thread's part
  enum class Split { none, rows, columns } split;
};
// Up to this many rows of A, reading B takes most of the time.
constexpr int reading_rows = 4;

// The same for all threads together, and how the product is split among them.
ProductChoice choice_of(const ProductShape& shape, WeightForm form, int threads,
                        Arithmetic arithmetic);

// Forces one path for all `fast` products that allow it, for comparisons; also possible with the
// environment variable XF_GEMM=openblas. Set it only while no product runs.
std::optional<ProductPath> forced_path();
void force_path(std::optional<ProductPath> path);

}  // namespace xf::kernel
