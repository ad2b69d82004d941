#include "ops/matmul/gemm.hpp"

#include "ops/matmul/panels.hpp"
#include "support/grad_check.hpp"
#include "tensor/parallel.hpp"

namespace xf::test {

namespace {

using kernel::Matrix, kernel::Result;

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

enum class Onto { nothing, sum, bias };

// What C must hold, in double, where c holds what it held.
Tensor expected(const Stored& a, const Stored& b, const Tensor& c, const Tensor& bias, int n, int k,
                Onto onto) {
  Tensor y = c.clone();
  for (int i = 0; i < c.size(0); ++i)
    for (int j = 0; j < n; ++j) {
      float& to = y.data(Cpu{})[i * c.size(1) + j];
      double sum = onto == Onto::sum ? to : onto == Onto::bias ? bias.data(Cpu{})[j] : 0;
      for (int p = 0; p < k; ++p) sum += a.at(i, p) * b.at(p, j);
      to = static_cast<float>(sum);
    }
  return y;
}

template <class Gemm>
void check_product(const Gemm& gemm, int m, int n, int k) {
  for (const bool a_transposed : {false, true})
    for (const bool b_transposed : {false, true})
      for (const Onto onto : {Onto::nothing, Onto::sum, Onto::bias}) {
        const Stored a(m, k, a_transposed, 1), b(k, n, b_transposed, 2);
        const Tensor before = random_leaf({m, n + 3}, 3), bias = random_leaf({n}, 4);
        Tensor c = before.clone();
        gemm(a.matrix(), b.matrix(), Result{c.data(Cpu{}), m, n, n + 3},
             {.sum = onto == Onto::sum, .bias = onto == Onto::bias ? bias.data(Cpu{}) : nullptr});
        const std::string sizes = std::to_string(m) + " x " + std::to_string(n) + " x " +
                                  std::to_string(k) + (a_transposed ? ", a transposed" : "") +
                                  (b_transposed ? ", b transposed" : "");
        expect_close(sizes, c, expected(a, b, before, bias, n, k, onto));
      }
}

}  // namespace

TEST_CASE("gemm: our own product is right at every edge of its blocks, and writes nothing else") {
  const auto gemm = kernel::panel_gemm;
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
          kernel::panel_gemm(a.matrix(), b.matrix(), in(alone), {.bias = bias.data(Cpu{})});
          const kernel::PanelMatrix panels(b.matrix());
          kernel::gemm(Cpu{}, a.matrix(), panels, in(once), {.bias = bias.data(Cpu{})});
          const int middle = std::min(n, kernel::PanelMatrix::step);
          for (const auto& [first, last] : {std::pair(0, middle), std::pair(middle, n)})
            panels.multiply(a.matrix(), in(in_parts), {.bias = bias.data(Cpu{})}, first, last);
          CHECK(alone.values() == once.values());
          CHECK(alone.values() == in_parts.values());
        }
}

TEST_CASE("gemm: several products of one A, with any number of threads") {
  const int before = threads();
  for (int count : {1, 2, 3, 5}) {
    set_threads(count);
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
        kernel::gemm(Cpu{}, a.matrix(), products);
        for (std::size_t i = 0; i < 3; ++i)
          expect_close(
              "product " + std::to_string(i), c[i],
              expected(a, b[i], c[i], bias[i], sizes[i], k, i == 1 ? Onto::nothing : Onto::bias));
      }
  }
  set_threads(before);
}

TEST_CASE("gemm: whichever path, alone and split over the threads") {
  const auto gemm = [](const Matrix& a, const Matrix& b, const Result& c,
                       const kernel::Onto& onto) { kernel::gemm(Cpu{}, a, b, c, onto); };
  for (const kernel::GemmPath path : {kernel::GemmPath::openblas, kernel::GemmPath::fastest}) {
    kernel::set_gemm_path(path);
    CHECK(kernel::gemm_path() == path);
    check_product(gemm, 20, 24, 0);
    check_product(gemm, 3, 5, 7);
    check_product(gemm, 20, 24, 40);
    check_product(gemm, 200, 90, 60);
    check_product(gemm, 60, 200, 90);
  }
}

TEST_CASE("gemm: sizes that do not fit are named") {
  const Tensor x = Tensor::zeros({4, 6});
  Tensor y = Tensor::zeros({4, 4});
  CHECK_THROWS_WITH_AS(kernel::gemm(Cpu{}, Matrix{x.data(Cpu{}), 4, 6}, Matrix{x.data(Cpu{}), 4, 6},
                                    Result{y.data(Cpu{}), 4, 6}),
                       "gemm: a is (4, 6), b is (4, 6), c is (4, 6)", std::invalid_argument);
}

}  // namespace xf::test
