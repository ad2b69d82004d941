#include <algorithm>
#include <CLI/App.hpp>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <vector>

#include "commands.hpp"
#include "io/printable.hpp"
#include "machine.hpp"
#include "ops/matmul/gemm.hpp"
#include "ops/matmul/panels.hpp"
#include "ops/matmul/skinny.hpp"
#include "speech/show.hpp"
#include "table.hpp"
#include "tensor/openblas.hpp"
#include "tensor/parallel.hpp"
#include "tensor/tensor.hpp"

namespace xf::bench {

namespace {

using kernel::GemmPath, kernel::Matrix, kernel::Result;

enum class Kind { a_b, a_bt, at_b };
constexpr const char* names[] = {"A B", "A B^T", "A^T B"};

struct Shape {
  Kind kind;
  int m, n, k;
};

// The products of models from tiny to large: rows of a batch, widths, vocabularies.
std::vector<Shape> shapes(bool quick, const std::vector<int>& rows) {
  const std::vector<int> widths =
      quick ? std::vector<int>{64, 256} : std::vector<int>{64, 200, 256, 512, 1000, 2048, 8000};
  std::vector<Shape> all;
  for (const Kind kind : {Kind::a_b, Kind::a_bt, Kind::at_b})
    for (const int m : rows)
      for (const int n : widths)
        for (const int k : widths)
          if (n <= 2048 || k <= 512)
            if (double(m) * n * k <= 1 << 29) all.push_back({kind, m, n, k});
  return all;
}

double cpu_us() {
  timespec time = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return 1e6 * double(time.tv_sec) + 1e-3 * double(time.tv_nsec);
}

struct Operands {
  Tensor numbers, sums;
  Shape shape;

  explicit Operands(const Shape& s)
      : numbers(Tensor::full({std::max({s.m * s.k, s.k * s.n, 1})}, 0.5f)),
        sums(Tensor::empty({s.m, s.n})),
        shape(s) {}

  Matrix a() const {
    const float* x = numbers.data(Cpu{});
    const auto& [kind, m, n, k] = shape;
    return kind == Kind::at_b ? Matrix{x, k, m}.transpose() : Matrix{x, m, k};
  }
  Matrix b() const {
    const float* x = numbers.data(Cpu{});
    const auto& [kind, m, n, k] = shape;
    return kind == Kind::a_bt ? Matrix{x, n, k}.transpose() : Matrix{x, k, n};
  }
  void multiply() {
    const Result c{sums.data(Cpu{}), shape.m, shape.n};
    dispatch_on_host([&](auto on) { kernel::gemm(on, a(), b(), c); });
  }
  const char* path() const {
    if (arithmetic() == Arithmetic::fast) {
      if (kernel::is_skinny(FastCpu{}, a(), b())) return "few rows";
      return kernel::is_for_panels(FastCpu{}, a(), b()) ? "panels" : "OpenBLAS";
    }
    return kernel::is_skinny(SameCpu{}, a(), b()) ? "few rows" : "panels";
  }
};

// One product's time in µs: of a sample of at least 200 µs.
double sample_us(Operands& operands, int products) {
  const double start = cpu_us();
  for (int i = 0; i < products; ++i) operands.multiply();
  return (cpu_us() - start) / products;
}

struct Times {
  double own, blas;

  double ratio() const { return own / blas; }
};

// The least of each, in turns: least times of a thread's own clock bear a busy machine.
Times measure(Operands& operands, int rounds) {
  const int products = std::max(1, static_cast<int>(200 / std::max(0.1, sample_us(operands, 3))));
  const Arithmetic used = arithmetic();
  Times least{1e300, 1e300};
  for (int round = 0; round < rounds; ++round) {
    least.own = std::min(least.own, sample_us(operands, products));
    set_arithmetic(Arithmetic::fast);
    kernel::set_gemm_path(GemmPath::openblas);
    least.blas = std::min(least.blas, sample_us(operands, products));
    kernel::set_gemm_path(GemmPath::fastest);
    set_arithmetic(used);
  }
  return least;
}

struct ProductFlags {
  explicit ProductFlags(CLI::App& app) {
    app.add_option("--rounds", rounds, "samples of each shape and path; the fastest counts")
        ->check(positive_problem)
        ->capture_default_str();
    app.add_option("--limit", limit,
                   "a shape is slow when it takes more than this many times OpenBLAS's time")
        ->check(positive_problem)
        ->capture_default_str();
    app.add_option("--rows", rows, "rows of A")
        ->delimiter(',')
        ->check(positive_problem)
        ->capture_default_str();
    app.add_flag("--quick", quick, "only a few small matrices B");
    app.add_flag("--all", all, "print every shape, not only the slow ones");
  }
  int rounds = 15;
  double limit = 1.1;
  std::vector<int> rows = {1, 2, 4, 8, 12, 16, 24, 32, 64, 256, 1024};
  bool quick = false, all = false;
};

int run(const ProductFlags& flags) {
  warn_of_forced_blas();
  set_threads(1);
  const bool same = arithmetic() == Arithmetic::same;
  print(words(same ? "products on one thread, µs of processor time: `same` against OpenBLAS"
                   : "products on one thread, µs of processor time: `fast` against OpenBLAS")
            .str() +
        " (" + blas_core() + ")\n");
  print(heading({{"kind", -6},
                 {"m", 5},
                 {"n", 5},
                 {"k", 5},
                 {"ours", 10},
                 {"OpenBLAS", 10},
                 {"ratio", 6},
                 {"GFLOP/s", 8},
                 {" path", 0}}));
  const std::vector<Shape> list = shapes(flags.quick, flags.rows);
  int slow = 0;
  double worst = 0, logs = 0;
  for (const Shape& shape : list) {
    Operands operands(shape);
    Times times = measure(operands, flags.rounds);
    if (times.ratio() > flags.limit) {  // once more: was it a disturbance?
      const Times again = measure(operands, 2 * flags.rounds);
      times = {std::min(times.own, again.own), std::min(times.blas, again.blas)};
    }
    const auto& [kind, m, n, k] = shape;
    slow += times.ratio() > flags.limit;
    worst = std::max(worst, times.ratio());
    logs += std::log(times.ratio());
    if (!flags.all && times.ratio() <= flags.limit) continue;
    std::printf("%-6s %5d %5d %5d %10.2f %10.2f %6.2f %8.1f  %s\n",
                names[static_cast<std::size_t>(kind)], m, n, k, times.own, times.blas,
                times.ratio(), 2e-3 * m * n * k / times.own, translated(operands.path()).c_str());
    std::fflush(stdout);
  }
  print_line(words("{} of {} shapes take more than {} of OpenBLAS's time; worst {}, mean {}", slow,
                   list.size(), fixed(flags.limit, 2), fixed(worst, 2),
                   fixed(std::exp(logs / double(list.size())), 2)));
  return 0;
}

}  // namespace

Command add_products(CLI::App& app) {
  auto flags = std::make_shared<ProductFlags>(app);
  return [flags](const CommonOptions&) { return run(*flags); };
}

}  // namespace xf::bench
