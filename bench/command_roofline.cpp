#include <algorithm>
#include <CLI/App.hpp>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <iostream>
#include <limits>
#include <optional>

#include "commands.hpp"
#include "io/files.hpp"
#include "io/printable.hpp"
#include "machine.hpp"
#include "ops/elementwise/elementwise.hpp"
#include "ops/layer_norm/layer_norm.hpp"
#include "ops/linear/linear.hpp"
#include "ops/matmul/matmul.hpp"
#include "ops/matmul/product_choice.hpp"
#include "ops/softmax/softmax.hpp"
#include "roofline_chart.hpp"
#include "speech/show.hpp"
#include "table.hpp"
#include "tensor/parallel.hpp"
#include "tensor/vectors.hpp"

namespace xf::bench {

namespace {

struct Flags {
  int runs = 20, rows = 2048, mebibytes = 64;

  int far_floats() const { return mebibytes << 18; }
};

constexpr int near_floats = 1 << 17;  // 512 KiB: in the second-level cache
constexpr int columns = 512;

// CPU time of this thread: on a busy machine it measures the work without the waiting.
double processor_seconds() {
  timespec now = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

double least_seconds(int runs, const std::function<void()>& work) {
  work();
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < runs; ++i) {
    const double start = processor_seconds();
    work();
    least = std::min(least, processor_seconds() - start);
  }
  return least;
}

// A sink for results, so that the compiler does not remove the computation.
volatile float result;

// GFLOP/s of sums that stay in registers, without any memory access.
double register_peak(int runs) {
  constexpr int sums_count = 12, steps = 1 << 20;
  volatile float start = 0.5f;
  const kernel::Vector factor = kernel::Vector{} + start;
  const double seconds = least_seconds(runs, [&] {
    kernel::Vector sums[sums_count];  // different start values, or the compiler computes only one
    for (int s = 0; s < sums_count; ++s) sums[s] = factor * (start + static_cast<float>(s));
    for (int i = 0; i < steps; ++i)
#pragma GCC unroll 12
      for (int s = 0; s < sums_count; ++s) sums[s] = sums[s] * factor + factor;
    float total = 0;
    for (const kernel::Vector& sum : sums) total += sum[0];
    result = total;
  });
  return 2.0 * steps * sums_count * kernel::lanes / seconds / 1e9;
}

// GFLOP/s of the product of two large matrices, OpenBLAS's or our own.
double product_peak(int size, int runs) {
  const Tensor a = Tensor::full({size, size}, 0.5f), b = Tensor::full({size, size}, 0.25f);
  const auto before = kernel::forced_path();
  double least = std::numeric_limits<double>::infinity();
  for (const auto path :
       {std::optional(kernel::ProductPath::openblas), std::optional<kernel::ProductPath>()}) {
    kernel::force_path(path);
    least = std::min(least, least_seconds(runs, [&] { result = matmul(a, b).values()[0]; }));
  }
  kernel::force_path(before);
  return 2 * std::pow(size, 3) / least / 1e9;
}

// GB/s of reading `count` floats repeatedly, in parallel streams.
template <bool far>
double read_bandwidth(int count, int runs) {
  constexpr int streams = 8;
  const Tensor x = Tensor::full({count + streams * kernel::lanes}, 0.5f);
  const int passes = far ? 1 : 32;
  const double seconds = least_seconds(runs, [&] {
    for (int pass = 0; pass < passes; ++pass) {
      kernel::Vector sums[streams] = {};
      for (int i = 0; i < count / streams; i += kernel::lanes)
#pragma GCC unroll 8
        for (int s = 0; s < streams; ++s) {
          const float* from = x.data(Cpu{}) + s * (count / streams + kernel::lanes) + i;
          if constexpr (far) __builtin_prefetch(from + 32 * kernel::lanes);
          sums[s] += kernel::load(from);
        }
      for (const kernel::Vector& sum : sums) result = result + sum[0];
    }
  });
  return 4.0 * count * passes / seconds / 1e9;
}

// Calls work(i) with i cycling through `copies`, so that no call finds its operands in a cache.
RooflinePoint measure(RooflinePoint point, double flops, double bytes, int copies, int runs,
                      const std::function<void(int)>& work) {
  int i = 0;
  const double seconds = least_seconds(runs, [&] { work(i++ % copies); });
  point.intensity = flops / bytes, point.gflops = flops / seconds / 1e9;
  return point;
}

// y = x W^T with x (rows, in) and W (out, in); each element counts as transferred once.
RooflinePoint product(int rows, int out, int in, int runs, const Flags& flags) {
  const double numbers = double(rows) * in + double(out) * in + double(rows) * out;
  std::vector<Tensor> x, w;
  const int copies = std::max(1, static_cast<int>(flags.far_floats() / numbers));
  for (int i = 0; i < copies; ++i) {
    x.push_back(Tensor::full({rows, in}, 0.5f));
    w.push_back(Tensor::full({out, in}, 0.25f));
  }
  const std::string weight = std::to_string(out) + "x" + std::to_string(in);
  RooflinePoint point{
      .name = std::to_string(rows) + (rows == 1 ? " row x " : " rows x ") + weight,
      .label = rows == 1 ? words("1 row x {}", weight) : words("{} rows x {}", rows, weight),
      .rows = rows};
  return measure(std::move(point), 2.0 * rows * out * in, 4 * numbers, copies, runs, [&](int i) {
    const auto at = static_cast<std::size_t>(i);
    result = linear(x[at], w[at], {}).values()[0];
  });
}

// A row-wise op that does `flops` operations and transfers `numbers` floats per element of x.
RooflinePoint row_op(const char* name, double flops, double numbers, const Flags& flags,
                     const std::function<Tensor(const Tensor&)>& op) {
  const Tensor x = Tensor::full({flags.far_floats() / columns, columns}, 0.5f);
  const auto count = double(x.count());
  return measure({.name = name, .label = name}, flops * count, 4 * numbers * count, 1, flags.runs,
                 [&](int) { result = op(x).values()[0]; });
}

int run(const Flags& flags, const CommonOptions& common) {
  warn_of_forced_blas();
  set_threads(1);
  const int runs = flags.runs, rows = flags.rows;
  Roofline machine{.registers = register_peak(runs),
                   .sgemm = product_peak(rows * 3 / 4, runs),
                   .near = read_bandwidth<false>(near_floats, runs),
                   .far = read_bandwidth<true>(flags.far_floats(), runs)};
  const Tensor ones = Tensor::full({columns}, 1.0f),
               other = Tensor::full({flags.far_floats() / columns, columns}, 2);
  std::vector<RooflinePoint> points = {
      row_op("add", 1, 3, flags, [&](const Tensor& x) { return x + other; }),
      row_op("layer norm", 8, 2, flags,
             [&](const Tensor& x) { return layer_norm(x, ones, ones, 1e-5f); }),
      row_op("softmax", 25, 2, flags, [](const Tensor& x) { return softmax(x, {}); }),
  };
  for (int few : {1, 8, 32}) points.push_back(product(few, 6000, 256, 4 * runs, flags));
  points.push_back(product(rows, 512, 256, runs, flags));
  points.push_back(product(rows, 6000, 256, runs, flags));
  points.push_back(product(rows / 2, 2048, 512, runs, flags));
  machine.registers = std::max(machine.registers, register_peak(runs));  // the clock varies

  print_line(
      words("one thread, processor time, the fastest of {} runs; arithmetic in registers {} "
            "GFLOP/s, sgemm {};",
            runs, fixed(machine.registers, 0), fixed(machine.sgemm, 0)));
  print_line(words("reading 512 KiB {} GB/s, {} MiB {} GB/s", fixed(machine.near, 0),
                   flags.mebibytes, fixed(machine.far, 1)));
  print("\n");
  print(
      heading({{"op", -22}, {"FLOP a byte", 12}, {"GFLOP/s", 10}, {"the roof", 12}, {"of it", 9}}));
  for (const RooflinePoint& p : points)
    std::printf("%s %12.2f %10.1f %12.1f %7.0f %%\n", cell(p.label, -22).c_str(), p.intensity,
                p.gflops, machine.roof(p.intensity), 100 * p.gflops / machine.roof(p.intensity));
  write_file_atomically(output_path(common, "roofline.svg"), roofline_svg(machine, points));
  std::fflush(stdout);
  nlohmann::ordered_json json = {{"registers_gflops", machine.registers},
                                 {"sgemm_gflops", machine.sgemm},
                                 {"near_gb_per_s", machine.near},
                                 {"far_gb_per_s", machine.far}};
  for (const RooflinePoint& p : points)
    json["points"].push_back(
        {{"op", p.name}, {"flop_per_byte", p.intensity}, {"gflops", p.gflops}});
  std::cout << json.dump() << '\n';
  return 0;
}

}  // namespace

Command add_roofline(CLI::App& app) {
  auto flags = std::make_shared<Flags>();
  const auto add = [&](const char* name, int& value, const char* help, int least) {
    app.add_option(name, value, help)->check(range_problem(least, 1 << 12))->capture_default_str();
  };
  add("--runs", flags->runs, "timed runs of each; the fastest counts", 1);
  add("--rows", flags->rows, "rows of the largest products", 64);
  add("--mib", flags->mebibytes, "MiB to read, more than the caches of one core hold", 1);
  return [flags](const CommonOptions& common) { return run(*flags, common); };
}

}  // namespace xf::bench
