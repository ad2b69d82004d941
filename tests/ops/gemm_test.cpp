#include "ops/matmul/gemm.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "ops/matmul/panels.hpp"
#include "ops/matmul/product_choice.hpp"
#include "support/grad_check.hpp"
#include "support/threads.hpp"

namespace xf::test {

namespace {

using kernel::Matrix, kernel::ProductPath, kernel::Result;

// A matrix with two unused numbers at the end of each row, and its element (i, j) once transposed.
struct Stored {
  Tensor numbers;
  bool transposed;

  Stored(int rows, int columns, bool is_transposed, int seed)
      : numbers(random_leaf({is_transposed ? columns : rows, (is_transposed ? rows : columns) + 2},
                            seed)),
        transposed(is_transposed) {}
  Matrix matrix() const {
    const Matrix lying{numbers.data(Cpu{}), numbers.size(0), numbers.size(1) - 2, numbers.size(1)};
    return transposed ? lying.transpose() : lying;
  }
  double at(int i, int j) const {
    return numbers.data(Cpu{})[transposed ? j * numbers.size(1) + i : i * numbers.size(1) + j];
  }
};

enum class Epilogue { nothing, sum, bias };

kernel::Epilogue added(Epilogue epilogue, const Tensor& bias) {
  return {.sum = epilogue == Epilogue::sum,
          .bias = epilogue == Epilogue::bias ? bias.data(Cpu{}) : nullptr};
}

// What C must hold, where c holds what it held: ((start + A[i, 0] B[0, j]) + A[i, 1] B[1, j]) + ...
template <class Number>
Tensor expected(const Stored& a, const Stored& b, const Tensor& c, const Tensor& bias, int n, int k,
                Epilogue epilogue) {
  Tensor y = c.clone();
  for (int i = 0; i < c.size(0); ++i)
    for (int j = 0; j < n; ++j) {
      float& to = y.data(Cpu{})[i * c.size(1) + j];
      Number sum = epilogue == Epilogue::sum    ? to
                   : epilogue == Epilogue::bias ? bias.data(Cpu{})[j]
                                                : 0;
      for (int p = 0; p < k; ++p) sum += Number(a.at(i, p)) * Number(b.at(p, j));
      to = static_cast<float>(sum);
    }
  return y;
}

template <class Gemm>
void check_product(const Gemm& gemm, int m, int n, int k) {
  for (const bool a_transposed : {false, true})
    for (const bool b_transposed : {false, true})
      for (const Epilogue epilogue : {Epilogue::nothing, Epilogue::sum, Epilogue::bias}) {
        const Stored a(m, k, a_transposed, 1), b(k, n, b_transposed, 2);
        const Tensor before = random_leaf({m, n + 3}, 3), bias = random_leaf({n}, 4);
        Tensor c = before.clone();
        gemm(a.matrix(), b.matrix(), Result{c.data(Cpu{}), m, n, n + 3}, added(epilogue, bias));
        const std::string sizes = std::to_string(m) + " x " + std::to_string(n) + " x " +
                                  std::to_string(k) + (a_transposed ? ", a transposed" : "") +
                                  (b_transposed ? ", b transposed" : "");
        expect_close(sizes, c, expected<double>(a, b, before, bias, n, k, epilogue));
      }
}

}  // namespace

TEST_CASE("gemm: our own product is right at every edge of its blocks, and writes nothing else") {
  const auto gemm = [](const Matrix& a, const Matrix& b, const Result& c,
                       const kernel::Epilogue& epilogue) {
    dispatch_on_host([&](auto on) { kernel::panel_gemm(on, a, b, c, epilogue); });
  };
  for (const int m : {1, 13, 14, 15, 29}) check_product(gemm, m, 50, 21);
  for (const int n : {1, 15, 16, 17, 31, 32, 33, 47, 48, 49, 64}) check_product(gemm, 17, n, 33);
  for (const int k : {1, 15, 16, 17, 511, 512, 513, 1030}) check_product(gemm, 15, 34, k);
  check_product(gemm, 16, 2100, 130);  // more columns than fit the panels at once
  check_product(gemm, 16, 32, 16);     // small enough to be read where it lies
}

TEST_CASE("gemm: a matrix that lies in panels gives the same, whole and in parts") {
  for (const int m : {1, 2, 14, 15, 43, 300})
    for (const int n : {1, 16, 17, 32, 47, 200})
      for (const int k : {1, 70, 600, 1024})
        for (const bool b_transposed : {false, true}) {
          const Stored a(m, k, false, 1), b(k, n, b_transposed, 2);
          const Tensor before = random_leaf({m, n + 3}, 3), bias = random_leaf({n}, 4);
          Tensor alone = before.clone(), once = before.clone(), in_parts = before.clone();
          const auto in = [&](Tensor& c) { return Result{c.data(Cpu{}), m, n, n + 3}; };
          const kernel::Epilogue epilogue{.bias = bias.data(Cpu{})};
          const kernel::PanelMatrix panels(b.matrix());
          const int middle = std::min(n, kernel::PanelMatrix::step);
          dispatch_on_host([&](auto on) {
            kernel::panel_gemm(on, a.matrix(), b.matrix(), in(alone), epilogue);
            kernel::gemm(on, a.matrix(), panels, in(once), epilogue);
            kernel::panel_gemm(on, a.matrix(), panels, in(in_parts), epilogue, 0, middle);
            kernel::panel_gemm(on, a.matrix(), panels, in(in_parts), epilogue, middle, n);
          });
          CHECK(alone.values() == once.values());
          CHECK(alone.values() == in_parts.values());
        }
}

TEST_CASE("gemm: several products of one A, with any number of threads") {
  for (int count : {1, 2, 3, 5}) {
    const Threads used(count);
    for (int m : {1, 4, 5, 40})
      for (bool transposed : {false, true}) {
        const int k = 270, sizes[] = {300, 1, 40};  // together enough for a second thread
        const Stored a(m, k, false, 1);
        std::vector<Stored> b;
        std::vector<Tensor> c, bias;
        for (int n : sizes) {
          b.emplace_back(k, n, transposed, 2 + n);
          c.push_back(random_leaf({m, n}, 3));
          bias.push_back(random_leaf({n}, 4));
        }
        std::vector<kernel::Product> products;
        for (std::size_t i = 0; i < 3; ++i)
          products.push_back({b[i].matrix(),
                              {c[i].data(Cpu{}), m, sizes[i]},
                              i == 1 ? nullptr : bias[i].data(Cpu{})});
        dispatch_on_host([&](auto on) { kernel::gemm(on, a.matrix(), products); });
        for (std::size_t i = 0; i < 3; ++i)
          expect_close("product " + std::to_string(i), c[i],
                       expected<double>(a, b[i], c[i], bias[i], sizes[i], k,
                                        i == 1 ? Epilogue::nothing : Epilogue::bias));
      }
  }
}

TEST_CASE("gemm: whichever path, alone and split over the threads") {
  const auto gemm = [](const Matrix& a, const Matrix& b, const Result& c,
                       const kernel::Epilogue& epilogue) {
    dispatch_on_host([&](auto on) { kernel::gemm(on, a, b, c, epilogue); });
  };
  for (const std::optional<ProductPath> path :
       {std::optional(ProductPath::openblas), std::optional(ProductPath::few_rows),
        std::optional(ProductPath::panels), std::optional<ProductPath>()}) {
    kernel::force_path(path);
    CHECK(kernel::forced_path() == path);
    check_product(gemm, 20, 24, 0);
    check_product(gemm, 3, 5, 7);
    check_product(gemm, 1, 37, 70);
    check_product(gemm, 2, 37, 70);
    check_product(gemm, 20, 24, 40);
    check_product(gemm, 200, 90, 60);
    check_product(gemm, 60, 200, 90);
  }
}

TEST_CASE("gemm: one row never goes where its weights are copied first") {
  // The products of a token of real models, with one thread and with two: (n, k).
  for (const auto& [n, k] : {std::pair{576, 576},
                             {192, 576},
                             {1536, 576},
                             {576, 1536},
                             {3072, 576},
                             {49152, 576},
                             {896, 4864},
                             {1600, 1600}})
    for (const int threads : {1, 2, 16}) {
      CAPTURE(n);
      CAPTURE(k);
      const kernel::ProductChoice choice = kernel::choice_of(
          {1, n, k, false, true}, kernel::WeightForm::panels, threads, Arithmetic::fast);
      CHECK(choice.path != ProductPath::panels);
      CHECK(choice.path != ProductPath::kept_panels);
      // OpenBLAS copies them for more than 1200 sums, or for a million weights.
      const int part =
          choice.split == kernel::ProductChoice::Split::columns ? (n + threads - 1) / threads : n;
      if (choice.path == ProductPath::openblas) {
        CHECK(part <= 1200);
        CHECK(double(part) * k <= 1e6);
      }
    }
}

TEST_CASE("gemm: the choice asks the rules in order, the kind of weights and the threads") {
  using kernel::WeightForm;
  using Split = kernel::ProductChoice::Split;
  for (const Arithmetic arithmetic : {Arithmetic::same, Arithmetic::fast}) {
    const auto rules = kernel::product_rules(arithmetic);
    for (const int m : {1, 4, 5, 8, 9, 30, 200})
      for (const int n : {1, 30, 300, 3000})
        for (const int k : {1, 40, 400})
          for (const bool b_transposed : {false, true})
            for (const bool a_transposed : {false, true}) {
              const kernel::ProductShape shape{m, n, k, a_transposed, b_transposed};
              const auto first =
                  std::find_if(rules.begin(), rules.end(), [&](auto& r) { return r.holds(shape); });
              REQUIRE(first != rules.end());
              const ProductPath path = kernel::path_of(shape, arithmetic);
              CHECK(path == first->path);
              if (path == ProductPath::few_rows) CHECK(!a_transposed);
              if (arithmetic == Arithmetic::same) {
                CHECK(path != ProductPath::openblas);
                CHECK((path == ProductPath::panels || !b_transposed));  // else another order
              }
              CHECK(kernel::choice_of(shape, WeightForm::floats, 1, arithmetic).path == path);
              CHECK(kernel::choice_of(shape, WeightForm::floats, 1, arithmetic).split ==
                    Split::none);
              CHECK(kernel::choice_of(shape, WeightForm::eight_bits, 1, arithmetic).path ==
                    ProductPath::eight_bits);
            }
    const auto split = [&](int m, int n, int k) {
      return kernel::choice_of({m, n, k, false, true}, WeightForm::floats, 2, arithmetic).split;
    };
    CHECK(split(1, 60, 60) == Split::none);
    CHECK(split(1, 256, 256) == Split::columns);
    CHECK(split(300, 60, 60) == Split::rows);
    const auto kept = [&](int m) {
      return kernel::choice_of({m, 300, 70, false, true}, WeightForm::panels, 1, arithmetic).path;
    };
    if (arithmetic ==
        Arithmetic::fast)  // from memory as fast as OpenBLAS or faster, also in floats
      for (const auto& [m, n, k] : {std::tuple{1, 288, 576}, {1, 64, 256}, {4, 288, 576}})
        CHECK(kernel::path_of({m, n, k, false, true}, arithmetic) == ProductPath::few_rows);
    CHECK(kept(2) == ProductPath::kept_panels);
    CHECK((kept(1) == ProductPath::kept_panels) == (arithmetic == Arithmetic::same));
  }
}

TEST_CASE("gemm: in same arithmetic every path and any number of threads give the same bits") {
  const Arithmetic usual = arithmetic();
  const Threads restored;
  set_arithmetic(Arithmetic::same);
  for (const int m : {1, 2, 5, 8, 9, 40})
    for (const int n : {1, 7, 16, 33, 300})
      for (const int k : {1, 40, 530})
        for (const bool a_transposed : {false, true})
          for (const bool b_transposed : {false, true})
            for (const Epilogue epilogue : {Epilogue::nothing, Epilogue::sum, Epilogue::bias}) {
              const Stored a(m, k, a_transposed, 1), b(k, n, b_transposed, 2);
              const Tensor before = random_leaf({m, n + 3}, 3), bias = random_leaf({n}, 4);
              const Tensor want = expected<float>(a, b, before, bias, n, k, epilogue);
              const kernel::PanelMatrix panels(b.matrix());
              for (const int count : {1, 2, 3}) {
                set_threads(count);
                Tensor c = before.clone(), d = before.clone();
                kernel::gemm(SameCpu{}, a.matrix(), b.matrix(), {c.data(Cpu{}), m, n, n + 3},
                             added(epilogue, bias));
                kernel::gemm(SameCpu{}, a.matrix(), panels, {d.data(Cpu{}), m, n, n + 3},
                             added(epilogue, bias));
                const bool all = c.values() == want.values() && d.values() == want.values();
                CHECK_MESSAGE(all, m << " x " << n << " x " << k << " differs");
              }
            }
  set_arithmetic(usual);
}

TEST_CASE("gemm: sizes that do not fit are named") {
  const Tensor x = Tensor::zeros({4, 6});
  Tensor y = Tensor::zeros({4, 4});
  CHECK_THROWS_WITH_AS(kernel::gemm(SameCpu{}, Matrix{x.data(Cpu{}), 4, 6},
                                    Matrix{x.data(Cpu{}), 4, 6}, Result{y.data(Cpu{}), 4, 6}),
                       "gemm: a is (4, 6), b is (4, 6), c is (4, 6)", std::invalid_argument);
}

}  // namespace xf::test
