#include <algorithm>
#include <array>
#include <CLI/App.hpp>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "commands.hpp"
#include "io/printable.hpp"
#include "machine.hpp"
#include "ops/matmul/gemm.hpp"
#include "ops/matmul/product_choice.hpp"
#include "speech/show.hpp"
#include "table.hpp"
#include "tensor/openblas.hpp"
#include "tensor/parallel.hpp"
#include "tensor/tensor.hpp"

namespace xf::bench {

namespace {

using kernel::Matrix, kernel::ProductPath, kernel::ProductRule, kernel::Result;

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

// With `far`, each product reads a different copy of B, which is no longer in any cache: this is
// how a model reads its weights, layer by layer.
struct Operands {
  Tensor numbers, copies, sums;
  Shape shape;
  int at = 0;

  Operands(const Shape& s, bool far)
      : numbers(Tensor::full({std::max(s.m * s.k, 1)}, 0.5f)),
        copies(Tensor::full({far ? std::max(1, (1 << 24) / (s.k * s.n)) : 1, s.k * s.n}, 0.5f)),
        sums(Tensor::empty({s.m, s.n})),
        shape(s) {}

  Matrix a() const {
    const float* x = numbers.data(Cpu{});
    const auto& [kind, m, n, k] = shape;
    return kind == Kind::at_b ? Matrix{x, k, m}.transpose() : Matrix{x, m, k};
  }
  Matrix b() const {
    const float* x = copies.data(Cpu{}) + std::ptrdiff_t(at) * copies.size(1);
    const auto& [kind, m, n, k] = shape;
    return kind == Kind::a_bt ? Matrix{x, n, k}.transpose() : Matrix{x, k, n};
  }
  void multiply() {
    const Result c{sums.data(Cpu{}), shape.m, shape.n};
    dispatch_on_host([&](auto on) { kernel::gemm(on, a(), b(), c); });
    at = (at + 1) % copies.size(0);
  }
  kernel::ProductShape product() const { return kernel::shape_of(a(), b()); }
};

// Time per product in µs, from a sample of at least 200 µs.
double sample_us(Operands& operands, int products) {
  const double start = cpu_us();
  for (int i = 0; i < products; ++i) operands.multiply();
  return (cpu_us() - start) / products;
}

constexpr std::array paths = {ProductPath::few_rows, ProductPath::panels, ProductPath::openblas};

// Times in µs, per available path and for OpenBLAS.
struct Times {
  std::map<ProductPath, double> by_path = {};
  ProductPath chosen;

  double own() const { return by_path.at(chosen); }
  double blas() const { return by_path.at(ProductPath::openblas); }
  double ratio() const { return own() / blas(); }
  ProductPath fastest() const {
    return std::min_element(by_path.begin(), by_path.end(),
                            [](const auto& a, const auto& b) { return a.second < b.second; })
        ->first;
  }
};

// Keeps the minimum time of each path; the paths take turns. Minima of per-thread CPU time are
// robust on a busy machine. OpenBLAS always runs with `fast` arithmetic.
void measure(Operands& operands, int rounds, Times& times) {
  const int products = std::max(1, static_cast<int>(200 / std::max(0.1, sample_us(operands, 3))));
  const Arithmetic used = arithmetic();
  for (int round = 0; round < rounds; ++round)
    for (const ProductPath path : paths) {
      const Arithmetic needed = path == ProductPath::openblas ? Arithmetic::fast : used;
      kernel::force_path(path);
      if (kernel::path_of(operands.product(), needed) == path) {
        set_arithmetic(needed);
        const double us = sample_us(operands, products);
        double& least = times.by_path.try_emplace(path, us).first->second;
        least = std::min(least, us);
        set_arithmetic(used);
      }
      kernel::force_path({});
    }
}

// A rule in short: "A B^T m<=32 k>=32m".
std::string text_of(const ProductRule& rule) {
  std::string text =
      rule.kind == kernel::ProductKind::any ? "" : names[static_cast<std::size_t>(rule.kind) - 1];
  const auto bound = [&](const char* name, double least, double unset, double most,
                         double endless) {
    char part[64];
    if (least > unset) text += (std::snprintf(part, 64, " %s>=%.0f", name, least), part);
    if (most < endless) text += (std::snprintf(part, 64, " %s<=%.0f", name, most), part);
  };
  const ProductRule any{.path = rule.path};
  bound("m", rule.min_m, 0, rule.max_m, any.max_m);
  bound("n", rule.min_n, 0, rule.max_n, any.max_n);
  bound("k", rule.min_k, 0, rule.max_k, any.max_k);
  bound("kn", rule.min_weights, 0, 1, 0);
  bound("mnk", rule.min_work, 0, rule.max_work, any.max_work);
  bound("mn", 0, 0, rule.max_sums, any.max_sums);
  bound("mk", rule.min_a, 0, rule.max_a, any.max_a);
  if (rule.k_for_a_row > 0) text += " k>=" + std::to_string(rule.k_for_a_row) + "m";
  if (rule.n_divisor > 1) text += " n%" + std::to_string(rule.n_divisor) + "=0";
  return text;
}

// The times of the paths that a rule chose, relative to OpenBLAS's and the fastest path's.
struct Worth {
  int shapes = 0;
  double of_blas = 0, of_fastest = 0, worst = 0;  // ratios; the first two: sums of logarithms

  void count(const Times& times) {
    ++shapes;
    of_blas += std::log(times.ratio());
    const double lost = times.own() / times.by_path.at(times.fastest());
    of_fastest += std::log(lost);
    worst = std::max(worst, lost);
  }
};

void print_rules(const std::vector<Worth>& worth) {
  print("\n");
  print_line(
      words("the first rule that holds chooses the path; for the shapes each rule decided, the "
            "time relative to OpenBLAS's and to the fastest path's"));
  print(heading(
      {{"path", -9}, {"shapes", 6}, {"OpenBLAS", 8}, {"fastest", 8}, {"worst", 6}, {" rule", 0}}));
  const auto rules = kernel::product_rules(arithmetic());
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const Worth& w = worth[i];
    const auto mean = [&](double logs) {
      return w.shapes == 0 ? std::string("-") : fixed(std::exp(logs / w.shapes), 2);
    };
    std::printf("%s %6d %8s %8s %6s  %s\n", cell(words(kernel::name_of(rules[i].path)), -9).c_str(),
                w.shapes, mean(w.of_blas).c_str(), mean(w.of_fastest).c_str(),
                w.shapes == 0 ? "-" : fixed(w.worst, 2).c_str(), text_of(rules[i]).c_str());
  }
}

std::size_t rule_for(const kernel::ProductShape& shape) {
  const auto rules = kernel::product_rules(arithmetic());
  const auto holds = [&](const ProductRule& rule) { return rule.holds(shape); };
  return std::size_t(std::find_if(rules.begin(), rules.end(), holds) - rules.begin());
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
    app.add_flag("--far", far,
                 "read B from memory, not from a cache, as a model's weights are read");
    app.add_flag("--all", all, "print every shape, not only the slow ones");
  }
  int rounds = 15;
  double limit = 1.1;
  std::vector<int> rows = {1, 2, 4, 8, 12, 16, 24, 32, 64, 256, 1024};
  bool quick = false, far = false, all = false;
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
                 {" path", -10},
                 {"fastest", 0}}));
  const std::vector<Shape> list = shapes(flags.quick, flags.rows);
  std::vector<Worth> worth(kernel::product_rules(arithmetic()).size());
  int slow = 0;
  double worst = 0, logs = 0;
  for (const Shape& shape : list) {
    Operands operands(shape, flags.far);
    Times times{.chosen = kernel::path_of(operands.product(), arithmetic())};
    measure(operands, flags.rounds, times);
    if (times.ratio() > flags.limit) measure(operands, 2 * flags.rounds, times);  // a disturbance?
    const auto& [kind, m, n, k] = shape;
    worth[rule_for(operands.product())].count(times);
    slow += times.ratio() > flags.limit;
    worst = std::max(worst, times.ratio());
    logs += std::log(times.ratio());
    if (!flags.all && times.ratio() <= flags.limit) continue;
    std::printf("%-6s %5d %5d %5d %10.2f %10.2f %6.2f %8.1f  %s %s\n",
                names[static_cast<std::size_t>(kind)], m, n, k, times.own(), times.blas(),
                times.ratio(), 2e-3 * m * n * k / times.own(),
                cell(words(kernel::name_of(times.chosen)), -9).c_str(),
                translated(kernel::name_of(times.fastest())).c_str());
    std::fflush(stdout);
  }
  print_line(words("{} of {} shapes take more than {} times OpenBLAS's time; worst {}, mean {}",
                   slow, list.size(), fixed(flags.limit, 2), fixed(worst, 2),
                   fixed(std::exp(logs / double(list.size())), 2)));
  print_rules(worth);
  return 0;
}

}  // namespace

Command add_products(CLI::App& app) {
  auto flags = std::make_shared<ProductFlags>(app);
  return [flags](const CommonOptions&) { return run(*flags); };
}

}  // namespace xf::bench
