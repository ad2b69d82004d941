#include "ops/matmul/product_choice.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "ops/matmul/tile.hpp"
#include "tensor/openblas.hpp"

namespace xf::kernel {

namespace {

using enum ProductPath;

// As measured for each class of processors. With few rows, long sums pay off: the final reduction
// of a sum takes as long as some 30 of its terms. OpenBLAS's product for AVX-512 reads B^T in place
// as long as C has at most 1200 numbers; beyond that, it copies B even for a single row.
std::vector<ProductRule> rules_of(Arithmetic arithmetic, int vector, int of_openblas) {
  using enum ProductKind;
  constexpr int small_a = 1 << 12;     // fits in the first-level cache with any stride
  if (arithmetic == Arithmetic::same)  // few_rows does not sum A B^T in order
    return {{.path = few_rows, .kind = a_b, .max_m = 8}, {.path = panels}};
  const double many_weights = 1 << 20, some_weights = vector == 16 ? 1 << 17 : 1 << 20;
  const ProductRule few_of_many = {
      .path = few_rows, .kind = a_b, .max_m = 8, .min_weights = many_weights};
  const ProductRule five_of_some = {
      .path = few_rows, .kind = a_b, .min_m = 5, .max_m = 8, .min_weights = some_weights};
  if (of_openblas < vector)  // with kernels for older processors
    return {{.path = few_rows, .kind = a_bt, .max_m = 1},
            {.path = few_rows, .kind = a_bt, .max_m = 4, .min_k = 200},
            {.path = few_rows, .kind = a_bt, .max_m = 12, .min_k = 256},
            {.path = few_rows, .kind = a_bt, .max_m = 24, .min_k = 2048},
            five_of_some,
            few_of_many,
            {.path = panels}};
  if (vector == 16)
    return {{.path = few_rows, .kind = a_bt, .max_m = 1, .min_k = 256},
            {.path = few_rows, .kind = a_bt, .max_m = 4, .min_k = 256, .min_weights = 1 << 17},
            {.path = openblas, .kind = a_bt, .max_work = 1e6, .max_sums = 1200},
            {.path = few_rows, .kind = a_bt, .max_m = 32, .k_for_a_row = 32},
            five_of_some,
            few_of_many,
            {.path = panels, .kind = a_bt, .min_n = 16, .min_k = 8},
            {.path = panels, .kind = a_b, .min_m = 32, .min_n = 16, .min_k = 8, .min_work = 1e6},
            {.path = panels, .kind = a_b, .min_m = 128, .n_divisor = 16, .min_k = 8, .max_k = 128},
            {.path = panels,
             .kind = at_b,
             .min_m = 14,
             .min_n = 16,
             .min_k = 8,
             .min_work = 1e6,
             .max_a = small_a},
            {.path = panels, .kind = at_b, .min_m = 64, .min_n = 128, .min_k = 8, .min_work = 1e6},
            {.path = panels,
             .kind = at_b,
             .min_m = 128,
             .n_divisor = 16,
             .min_k = 8,
             .max_k = 128,
             .max_a = small_a},
            {.path = panels,
             .kind = at_b,
             .min_m = 128,
             .min_n = 128,
             .n_divisor = 16,
             .min_k = 8,
             .max_k = 128},
            {.path = openblas}};
  return {
      {.path = few_rows, .kind = a_bt, .max_m = 2, .min_weights = 1 << 14},
      {.path = few_rows, .kind = a_bt, .max_m = 20, .min_k = 256, .min_weights = 1 << 14},
      few_of_many,
      {.path = panels, .kind = a_bt, .min_m = 32, .min_n = vector, .min_k = 8},
      {.path = panels, .kind = a_bt, .min_m = 6, .min_n = vector, .min_k = 256},
      {.path = panels, .kind = a_b, .min_m = 128, .min_n = vector, .min_k = 8, .min_work = 1 << 14},
      {.path = panels, .kind = a_b, .min_m = 64, .min_n = vector, .min_k = 128},
      {.path = panels,
       .kind = at_b,
       .min_m = 6,
       .min_n = vector,
       .max_n = 63,
       .min_k = 8,
       .min_work = 1 << 14,
       .max_a = small_a},
      {.path = panels, .kind = at_b, .min_m = 64, .min_n = 128, .min_k = 8, .min_a = small_a + 1},
      {.path = openblas}};
}

bool is_possible(ProductPath path, const ProductShape& shape, Arithmetic arithmetic) {
  const bool fast = arithmetic == Arithmetic::fast;
  if (path == few_rows) return !shape.a_transposed && (fast || !shape.b_transposed);
  return path == panels || (path == openblas && fast);
}

std::optional<ProductPath>& forced() {
  static std::optional<ProductPath> path = []() -> std::optional<ProductPath> {
    const char* name = std::getenv("XF_GEMM");
    if (name && std::string_view(name) == "openblas") return openblas;
    return std::nullopt;
  }();
  return path;
}

// Starting a second thread takes longer than reading 256 KB of weights in 8 bits or, with few rows,
// as much of other weights.
bool is_for_threads(const ProductShape& shape, WeightForm form) {
  if (form == WeightForm::eight_bits) return shape.weights() >= 1 << 18 || shape.work() >= 1 << 21;
  return shape.work() >= 1 << 19 || (shape.m <= reading_rows && shape.weights() >= 1 << 16);
}

}  // namespace

bool ProductRule::holds(const ProductShape& s) const {
  const auto within = [](auto least, auto x, auto most) { return x >= least && x <= most; };
  const ProductKind its = s.a_transposed   ? ProductKind::at_b
                          : s.b_transposed ? ProductKind::a_bt
                                           : ProductKind::a_b;
  return (kind == ProductKind::any || kind == its) && within(min_m, s.m, max_m) &&
         within(min_n, s.n, max_n) && s.n % n_divisor == 0 && within(min_k, s.k, max_k) &&
         s.k >= double(k_for_a_row) * s.m && s.weights() >= min_weights &&
         within(min_work, s.work(), max_work) && double(s.m) * s.n <= max_sums &&
         within(min_a, double(s.m) * s.k, max_a);
}

std::span<const ProductRule> product_rules(Arithmetic arithmetic) {
  static const auto same = rules_of(Arithmetic::same, lanes, lanes),
                    fast = rules_of(Arithmetic::fast, lanes, openblas::lanes());
  return arithmetic == Arithmetic::same ? same : fast;
}

ProductPath path_of(const ProductShape& shape, Arithmetic arithmetic) {
  if (forced() && is_possible(*forced(), shape, arithmetic)) return *forced();
  const auto rules = product_rules(arithmetic);
  return std::find_if(rules.begin(), rules.end(), [&](const auto& r) { return r.holds(shape); })
      ->path;  // the last one always holds
}

ProductChoice choice_of(const ProductShape& shape, WeightForm form, int threads,
                        Arithmetic arithmetic) {
  using enum ProductChoice::Split;
  // One row in `fast` arithmetic is just as fast without the kept panels.
  const bool fast = arithmetic == Arithmetic::fast;
  const bool takes_panels = form == WeightForm::panels && !(fast && (shape.m < 2 || forced()));
  if (form == WeightForm::panels && !takes_panels) form = WeightForm::floats;
  const bool shared = threads > 1 && is_for_threads(shape, form);
  const auto split = !shared ? none : shape.m >= shape.n ? rows : columns;
  if (form == WeightForm::eight_bits) return {eight_bits, shared ? columns : none};
  if (takes_panels) return {kept_panels, split};
  ProductShape part = shape;
  if (split == rows) part.m = (part.m + threads - 1) / threads;
  if (split == columns) part.n = (part.n + threads - 1) / threads;
  return {path_of(part, arithmetic), split};
}

std::optional<ProductPath> forced_path() { return forced(); }
void force_path(std::optional<ProductPath> path) { forced() = path; }

}  // namespace xf::kernel
