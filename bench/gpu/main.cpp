#include <algorithm>
#include <CLI/CLI.hpp>
#include <cstdio>
#include <functional>
#include <iostream>
#include <nlohmann/json.hpp>
#include <vector>

#include "cuda/steps/steps.hpp"
#include "ops/layer_norm/layer_norm.hpp"
#include "ops/matmul/matmul.hpp"
#include "ops/matmul/precision.hpp"
#include "ops/softmax/softmax.hpp"
#include "program/program.hpp"
#include "tensor/random.hpp"
#include "train/progress.hpp"

namespace xf::bench {

namespace {

// Two ceilings, each measured by rows of the table: the memory bandwidth of a copy and, for each
// precision, the arithmetic throughput of a large library product.
class Table {
 public:
  explicit Table(int calls) : calls_(calls) {
    std::printf("%-36s %12s %10s %10s %9s\n", "", "microseconds", "GB/s", "GFLOP/s", "of the best");
  }

  // A row that must read and write at least `bytes`; the factors of its `operations` have this
  // precision. Its share is relative to the best row of its ceiling so far.
  void row(const char* name, double bytes, double operations, const std::function<Tensor()>& call,
           Precision precision = Precision::float32) {
    const double seconds = seconds_of(call), gb = bytes / seconds / 1e9,
                 gflop = operations / seconds / 1e9;
    double& best = operations > 0 ? best_gflop_[static_cast<int>(precision)] : best_gb_;
    best = std::max(best, operations > 0 ? gflop : gb);
    const double share = (operations > 0 ? gflop : gb) / best;
    std::printf("%-36s %12.1f %10.1f %10.1f %8.0f%%\n", name, 1e6 * seconds, gb, gflop,
                100 * share);
    rows_.push_back({{"name", name},
                     {"microseconds", 1e6 * seconds},
                     {"gb_per_s", gb},
                     {"gflop_per_s", gflop},
                     {"share", share}});
  }

  // The last line of the output: the same as JSON.
  void finish() const {
    std::fflush(stdout);
    std::cout << nlohmann::ordered_json{{"rows", rows_}}.dump() << std::endl;
  }

 private:
  // Seconds per call: the median of five runs of several calls, after one warm-up run. The host
  // waits for the device when it reads a number.
  double seconds_of(const std::function<Tensor()>& call) const {
    std::vector<double> runs;
    for (int run = 0; run < 6; ++run) {
      Tensor result = call();
      wait();
      const Stopwatch watch;
      for (int i = 0; i < calls_; ++i) result = call();
      wait();
      if (run > 0) runs.push_back(watch.seconds() / calls_);
    }
    return median(runs);
  }

  void wait() const { static_cast<void>(one_.item()); }

  int calls_;
  double best_gb_ = 0, best_gflop_[3] = {};
  nlohmann::ordered_json rows_ = nlohmann::ordered_json::array();
  Tensor one_ = Tensor::full({}, 1);
};

// Random, because constants multiply faster than a real model's weights: fewer bits toggle.
Tensor random(const Shape& shape) {
  Random numbers(1);
  std::vector<float> values(static_cast<std::size_t>(shape.count()));
  for (float& value : values) value = static_cast<float>(numbers.uniform(-1, 1));
  return Tensor::from(shape, values);
}

// The four stories of docs/en/11_gpu.md. The output is allocated before the clock starts.
template <class Step>
auto on_rows(const Tensor& x, Step step) {
  return [&x, step, y = Tensor::empty(x.shape())]() mutable {
    step(x.data(Cuda{}), y.data(Cuda{}), x.size(0), x.size(1));
    return y;
  };
}

void softmax_rows(Table& table, int size) {
  // By default 268 MB, several times what the largest L2 cache holds.
  const Tensor x = random({16 * size, 1024}), ones = Tensor::full({1024}, 1);
  const double bytes = 8.0 * double(x.count());
  table.row("copy", bytes, 0, [&] { return x.clone(); });
  table.row("softmax, one thread a row", bytes, 0, on_rows(x, steps::softmax_thread_a_row));
  table.row("softmax, one warp a row", bytes, 0, on_rows(x, steps::softmax_warp_a_row));
  table.row("softmax, four numbers per load", bytes, 0, on_rows(x, steps::softmax_four_at_once));
  table.row("softmax, the op", bytes, 0, [&] { return softmax(x); });
  table.row("layer norm, the op", bytes, 0, [&] { return layer_norm(x, ones, ones, 1e-5f); });
}

void sums(Table& table, int size) {
  const Tensor x = random({16 * size, 1024});
  const int count = int(x.count());
  const double bytes = 4.0 * double(count);
  const auto with = [&](auto step) {
    return [&, step, of_blocks = Tensor::empty({(count + 255) / 256}),
            y = Tensor::full({1}, 0)]() mutable {
      step(x.data(Cuda{}), of_blocks.data(Cuda{}), y.data(Cuda{}), count);
      return y;
    };
  };
  table.row("sum, one number", bytes, 0, with(steps::sum_one_number));
  table.row("sum, tree of neighbours", bytes, 0, with(steps::sum_tree_of_neighbours));
  table.row("sum, tree of first threads", bytes, 0, with(steps::sum_tree_of_first_threads));
  table.row("sum, tree of halves", bytes, 0, with(steps::sum_tree_of_halves));
  table.row("sum, warps first", bytes, 0, with(steps::sum_warps_first));
  table.row("sum, many a thread", bytes, 0, with(steps::sum_many_a_thread));
}

void products(Table& table, int size) {
  const Tensor a = random({size, size}), b = random({size, size});
  const double bytes = 12.0 * double(a.count()), operations = 2.0 * size * size * size;
  const auto with = [&](auto step) {
    return [&, step, c = Tensor::empty(a.shape())]() mutable {
      step(a.data(Cuda{}), b.data(Cuda{}), c.data(Cuda{}), size, size, size);
      return c;
    };
  };
  for (const auto& [name, precision] : {std::pair{"product, the op, float32", Precision::float32},
                                        {"product, the op, tf32", Precision::tf32},
                                        {"product, the op, bf16", Precision::bf16}}) {
    const ProductPrecision used(precision);
    table.row(
        name, bytes, operations, [&] { return matmul(a, b); }, precision);
  }
  table.row("product, one thread a number", bytes, operations,
            with(steps::product_thread_a_number));
  table.row("product, tiles", bytes, operations, with(steps::product_tiles));
  table.row("product, registers", bytes, operations, with(steps::product_registers));
  if (size % 4 == 0) {
    table.row("product, four numbers per load", bytes, operations, with(steps::product_vectors));
    table.row("product, two buffers", bytes, operations, with(steps::product_two_buffers));
  }
  table.row("product, tensor cores, bf16", bytes, operations, with(steps::product_tensor_cores),
            Precision::bf16);
}

void attention(Table& table, int size) {
  const Tensor q = random({size, 64});
  const double bytes = 16.0 * double(q.count()), operations = 4.0 * size * size * 64;
  const auto with = [&](auto step) {
    return [&, step, y = Tensor::empty(q.shape())]() mutable {
      step(q.data(Cuda{}), q.data(Cuda{}), q.data(Cuda{}), y.data(Cuda{}), size, size, 64);
      return y;
    };
  };
  table.row("attention, three kernels", bytes, operations, with(steps::attention_three_kernels));
  table.row("attention, one kernel", bytes, operations, with(steps::attention_one_kernel));
  table.row("attention, shared keys", bytes, operations, with(steps::attention_shared_keys));
}

}  // namespace

}  // namespace xf::bench

int main(int argc, char** argv) {
  using namespace xf;
  return run_program([&] {
    CLI::App app("The kernels of docs/en/11_gpu.md, beside what the device delivers at best.");
    CommonOptions options;
    int size = 4096, calls = 20;
    add_common_options(app, options);
    integer_flag(app, "--size", size,
                 "side of the products; the rows are 16 times as many, of 1024 numbers", 1);
    integer_flag(app, "--calls", calls, "calls of each kernel in a run", 1);
    if (!parse(app, argc, argv, options)) return 0;
    if (options.device == Device::cpu)
      throw UserError("--device: cuda is required (or cuda-emulated, whose times say nothing)");
    bench::Table table(calls);
    bench::softmax_rows(table, size);
    bench::sums(table, size);
    bench::products(table, size);
    bench::attention(table, size);
    table.finish();
    return 0;
  });
}
