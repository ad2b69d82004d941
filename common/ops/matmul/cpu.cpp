#include "ops/matmul/gemm.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "ops/check.hpp"
#include "ops/matmul/decoding_session.hpp"
#include "ops/matmul/panels.hpp"
#include "ops/matmul/product_choice.hpp"
#include "ops/matmul/skinny.hpp"
#include "tensor/openblas.hpp"
#include "tensor/parallel.hpp"

namespace xf::kernel {

namespace {

// Initialises C with what the product is added to; returns whether there is such a summand.
bool prepare(const Result& c, const Epilogue& epilogue) {
  if (epilogue.bias)
    for (int i = 0; i < c.rows; ++i) std::copy_n(epilogue.bias, c.columns, c.row(i));
  return epilogue.sum || epilogue.bias;
}

constexpr Arithmetic used = is_fast ? Arithmetic::fast : Arithmetic::same;

// How much more of B the caller reads than the other threads, which start 0.3 µs later.
constexpr int head_start = (8 << 10) / sizeof(float);

struct alignas(64) Cell {  // a line of the cache
  float x[16];
};

// body(first, last) for the columns of a product, split over the threads.
template <class Body>
void share_columns(int m, int n, int k, const Body& body) {
  if (m > reading_rows) return parallel_for(n, 8, body);
  const int parts = threads();
  const auto start = [=](int part) {
    const std::ptrdiff_t even = std::ptrdiff_t{n} * part / parts;
    return part == 0 ? 0 : std::min(even + head_start / k, std::ptrdiff_t{n});
  };
  run_parallel(parts, [&](int part) {
    const std::ptrdiff_t first = start(part), last = start(part + 1);
    if (first < last) body(first, last);
  });
}

void one_thread_gemm(ProductPath path, const Matrix& a, const Matrix& b, const Result& c,
                     const Epilogue& epilogue);

// B = W^T in another number format: some rows of W at a time are converted to floats, which stay in
// the second-level cache; with few rows of A, half as many are fastest (measured:
// docs/results/logs/stored-weights.txt). The path is chosen for the whole of B, so the digits are
// those of a W converted beforehand; OpenBLAS gets its whole part, since its sums may depend on the
// number of columns.
void stored_gemm(ProductPath path, const Matrix& a, const Matrix& b, const Result& c,
                 const Epilogue& epilogue) {
  const int k = b.rows, most = (a.rows <= reading_rows ? 1 << 17 : 1 << 18) / k;
  const int at_once =
      path == ProductPath::openblas ? c.columns : std::min(std::max(most / 32 * 32, 8), c.columns);
  thread_local std::vector<Cell> kept;
  kept.resize(static_cast<std::size_t>((at_once * std::ptrdiff_t{k} + 15) / 16));
  float* const floats = kept.front().x;
  for (int j = 0; j < c.columns; j += at_once) {
    const int count = std::min(at_once, c.columns - j);
    b.stored.from(j).read(count, floats);
    one_thread_gemm(path, a, Matrix{floats, count, k}.transpose(), c.columns_from(j, count),
                    epilogue.columns_from(j));
  }
}

void one_thread_gemm(ProductPath path, const Matrix& a, const Matrix& b, const Result& c,
                     const Epilogue& epilogue) {
  const bool in_registers = path == ProductPath::few_rows && a.rows <= reading_rows;
  if (b.stored.format && !in_registers) return stored_gemm(path, a, b, c, epilogue);
  if (path == ProductPath::few_rows) return skinny_gemm(Cpu{}, a, b, c, prepare(c, epilogue));
  if (path == ProductPath::panels) return panel_gemm(Cpu{}, a, b, c, epilogue);
  openblas::gemm(c.rows, c.columns, a.columns, {a.data, a.stride, a.transposed},
                 {b.data, b.stride, b.transposed}, c.data, c.stride, prepare(c, epilogue));
}

void check(const Matrix& a, int b_rows, int b_columns, const Result& c) {
  const auto size = [](int rows, int columns) {
    return "(" + std::to_string(rows) + ", " + std::to_string(columns) + ")";
  };
  require(a.columns == b_rows && a.rows == c.rows && b_columns == c.columns, "gemm", [&] {
    return "a is " + size(a.rows, a.columns) + ", b is " + size(b_rows, b_columns) + ", c is " +
           size(c.rows, c.columns);
  });
}

}  // namespace

template <>
void gemm(Cpu on, const Matrix& a, const PanelMatrix& b, const Result& c,
          const Epilogue& epilogue) {
  check(a, b.rows(), b.columns(), c);
  const int n = c.columns, step = PanelMatrix::step;
  const auto split = choice_of({c.rows, n, b.rows()}, WeightForm::panels, threads(), used).split;
  if (split == ProductChoice::Split::none) return panel_gemm(on, a, b, c, epilogue, 0, n);
  if (split == ProductChoice::Split::rows) {
    parallel_for(c.rows, 8, [&](std::ptrdiff_t first, std::ptrdiff_t last) {
      const std::ptrdiff_t count = last - first;
      panel_gemm(on, a.rows_from(first, count), b, c.rows_from(first, count), epilogue, 0, n);
    });
  } else {
    parallel_for((n + step - 1) / step, 1, [&](std::ptrdiff_t first, std::ptrdiff_t last) {
      panel_gemm(on, a, b, c, epilogue, int(first) * step, std::min(n, int(last) * step));
    });
  }
}

template <>
void gemm(Cpu on, const Matrix& a, const Matrix& b, const Result& c, const Epilogue& epilogue) {
  check(a, b.rows, b.columns, c);
  const int m = c.rows, n = c.columns, k = a.columns;
  if (m == 0 || n == 0) return;
  if (k == 0) {
    if (!prepare(c, epilogue))
      for (int i = 0; i < m; ++i) std::fill_n(c.row(i), n, 0.0f);
    return;
  }
  const auto choose = [&](WeightForm form) {
    return choice_of(shape_of(a, b), form, threads(), used);
  };
  const std::shared_ptr<KeptWeight> weight = kept(b);
  ProductChoice choice = choose(weight ? weight->form() : WeightForm::floats);
  if (choice.path == ProductPath::eight_bits) {
    const QuantizedProduct product{weight->bytes(b), c, epilogue};
    return gemm(on, a, std::span(&product, 1));
  }
  if (choice.path == ProductPath::kept_panels) {
    if (const PanelMatrix* panels = weight->panels(b)) return gemm(on, a, *panels, c, epilogue);
    choice = choose(WeightForm::floats);
  }
  switch (choice.split) {
    case ProductChoice::Split::none:
      return one_thread_gemm(choice.path, a, b, c, epilogue);
    case ProductChoice::Split::rows:
      return parallel_for(m, 8, [&](std::ptrdiff_t first, std::ptrdiff_t last) {
        const std::ptrdiff_t count = last - first;
        one_thread_gemm(choice.path, a.rows_from(first, count), b, c.rows_from(first, count),
                        epilogue);
      });
    case ProductChoice::Split::columns:
      return share_columns(m, n, k, [&](std::ptrdiff_t first, std::ptrdiff_t last) {
        const std::ptrdiff_t count = last - first;
        one_thread_gemm(choice.path, a, b.columns_from(first, count), c.columns_from(first, count),
                        epilogue.columns_from(first));
      });
  }
}

template <>
void batched_gemm(Cpu on, std::ptrdiff_t batch, const Matrix& a, const Matrix& b, const Result& c,
                  bool sum) {
  if (batch == 1) return gemm(on, a, b, c, {.sum = sum});
  const std::ptrdiff_t a_step = std::ptrdiff_t(a.rows) * a.columns,
                       b_step = std::ptrdiff_t(b.rows) * b.columns,
                       c_step = std::ptrdiff_t(c.rows) * c.columns;
  const std::ptrdiff_t grain = std::max<std::ptrdiff_t>(1, (1 << 18) / (c_step * a.columns + 1));
  parallel_for(batch, grain, [=](std::ptrdiff_t first, std::ptrdiff_t last) {
    for (std::ptrdiff_t i = first; i < last; ++i) {
      Matrix ai = a, bi = b;
      Result ci = c;
      ai.data += i * a_step, bi.data += i * b_step, ci.data += i * c_step;
      gemm(on, ai, bi, ci, {.sum = sum});
    }
  });
}

template <>
void gemm(Cpu, const Matrix& a, std::span<const Product> products) {
  int columns = 0;
  for (const Product& p : products) {
    check(a, p.b.rows, p.b.columns, p.c);
    columns += p.c.columns;
  }
  const auto split =
      choice_of({a.rows, columns, a.columns}, WeightForm::floats, threads(), used).split;
  std::vector<std::shared_ptr<KeptWeight>> weights;
  std::vector<QuantizedProduct> in_eight_bits;
  std::vector<Product> others;
  for (const Product& p : products) {
    weights.push_back(kept(p.b));
    if (weights.back() && weights.back()->form() == WeightForm::eight_bits)
      in_eight_bits.push_back({weights.back()->bytes(p.b), p.c, {.bias = p.bias}});
    else
      others.push_back(p);
  }
  if (!in_eight_bits.empty()) gemm(Cpu{}, a, std::span<const QuantizedProduct>(in_eight_bits));
  if (!in_eight_bits.empty() || split != ProductChoice::Split::columns) {
    for (const Product& p : others) gemm(Cpu{}, a, p.b, p.c, {.bias = p.bias});
    return;
  }
  share_columns(a.rows, columns, a.columns, [=](std::ptrdiff_t first, std::ptrdiff_t last) {
    std::ptrdiff_t start = 0;  // where this product's columns begin
    for (const Product& p : products) {
      const std::ptrdiff_t from = std::max(first - start, std::ptrdiff_t{0});
      const std::ptrdiff_t count = std::min(last - start, std::ptrdiff_t{p.c.columns}) - from;
      start += p.c.columns;
      if (count <= 0) continue;
      const Matrix part = p.b.columns_from(from, count);
      one_thread_gemm(path_of(shape_of(a, part), used), a, part, p.c.columns_from(from, count),
                      Epilogue{.bias = p.bias}.columns_from(from));
    }
  });
}

}  // namespace xf::kernel
