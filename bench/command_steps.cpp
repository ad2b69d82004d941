#include <CLI/App.hpp>
#include <cstdio>
#include <iostream>
#include <vector>

#include "commands.hpp"
#include "counting.hpp"
#include "cuda/device_memory.hpp"
#include "cuda/steps/steps.hpp"
#include "speech/show.hpp"
#include "table.hpp"
#include "tensor/random.hpp"

namespace xf::bench {

#ifdef XF_WATCHED

namespace {

using cuda::KernelCounts;

constexpr CountField fields[] = {
    {"launches", "launches", &KernelCounts::launches, 8},
    {"accesses", "accesses", &KernelCounts::accesses, 9},
    {"transactions", "transactions", &KernelCounts::transactions, 12},
    {"shared_accesses", "shared", &KernelCounts::shared_accesses, 8},
    {"conflicts", "conflicts", &KernelCounts::conflicts, 9},
    {"barriers", "barriers", &KernelCounts::barriers, 8},
    {"branches", "branches", &KernelCounts::branches, 8},
    {"atomics", "atomics", &KernelCounts::atomics, 8},
};
constexpr int name_width = 22;

// Random numbers in device memory.
class Numbers {
 public:
  explicit Numbers(int count) : there_(static_cast<std::size_t>(count)) {
    Random random(1);
    std::vector<float> values(static_cast<std::size_t>(count));
    for (float& value : values) value = static_cast<float>(random.uniform(-1, 1));
    cuda::copy_to_device(there_.data(), values.data(), values.size() * sizeof(float));
  }
  operator float*() { return there_.data(); }

 private:
  cuda::Buffer<float> there_;
};

template <class Function>
struct Step {
  const char* name;
  Function* run;
};

class Table {
 public:
  explicit Table(const CommonOptions& common) : counter_(common) {}

  void story(const Words& title) {
    section(title);
    print_line(counts_heading("version", name_width, fields));
  }

  // A step may consist of several kernels; their counts are added up.
  void row(const std::string& step, const std::function<void()>& work) {
    KernelCounts all;
    for (const auto& [name, kernel] : counter_.of(work).kernels)
      for (const CountField& field : fields) all.*field.member += kernel.*field.member;
    print_line(counts_row(step, name_width, fields, all));
    for (const CountField& field : fields) steps_[step][field.name] = all.*field.member;
  }

  // The last line of the output: the same as JSON.
  void finish() const {
    std::fflush(stdout);
    std::cout << nlohmann::ordered_json{{"steps", steps_}}.dump() << '\n';
  }

 private:
  Counter counter_;
  nlohmann::ordered_json steps_;
};

void softmax_rows(Table& table) {
  constexpr int rows = 256, columns = 512;
  table.story(words("softmax of {} rows of {} numbers", rows, columns));
  Numbers x(rows * columns), y(rows * columns);
  const Step<decltype(steps::softmax_thread_a_row)> all[] = {
      {"thread_a_row", steps::softmax_thread_a_row},
      {"warp_a_row", steps::softmax_warp_a_row},
      {"four_at_once", steps::softmax_four_at_once}};
  for (const auto& [name, run] : all) table.row(name, [&] { run(x, y, rows, columns); });
}

void sums(Table& table) {
  constexpr int count = 1 << 18;
  table.story(words("sum of {} numbers", count));
  Numbers x(count), of_blocks(count / 256), y(1);
  const Step<decltype(steps::sum_one_number)> all[] = {
      {"one_number", steps::sum_one_number},
      {"tree_of_neighbours", steps::sum_tree_of_neighbours},
      {"tree_of_first_threads", steps::sum_tree_of_first_threads},
      {"tree_of_halves", steps::sum_tree_of_halves},
      {"warps_first", steps::sum_warps_first},
      {"many_a_thread", steps::sum_many_a_thread}};
  for (const auto& [name, run] : all) table.row(name, [&] { run(x, of_blocks, y, count); });
}

void products(Table& table) {
  constexpr int side = 128;
  table.story(words("product of two matrices of {} x {} numbers", side, side));
  Numbers a(side * side), b(side * side), c(side * side);
  const Step<decltype(steps::product_tiles)> all[] = {
      {"thread_a_number", steps::product_thread_a_number},
      {"tiles", steps::product_tiles},
      {"registers", steps::product_registers},
      {"vectors", steps::product_vectors},
      {"two_buffers", steps::product_two_buffers},
      {"tensor_cores", steps::product_tensor_cores}};
  for (const auto& [name, run] : all) table.row(name, [&] { run(a, b, c, side, side, side); });
}

void attention(Table& table) {
  constexpr int length = 128, width = 64;
  table.story(words("attention of {} queries to {} keys, {} wide", length, length, width));
  Numbers q(length * width), k(length * width), v(length * width), y(length * width);
  const Step<decltype(steps::attention_one_kernel)> all[] = {
      {"three_kernels", steps::attention_three_kernels},
      {"one_kernel", steps::attention_one_kernel},
      {"shared_keys", steps::attention_shared_keys}};
  for (const auto& [name, run] : all)
    table.row(name, [&] { run(q, k, v, y, length, length, width); });
}

}  // namespace

#endif

Command add_steps(CLI::App&) {
  return [](const CommonOptions& common) {
    if (common.device == Device::cpu) throw UserError("--device: only cuda-emulated can count");
#ifdef XF_WATCHED
    Table table(common);
    softmax_rows(table);
    sums(table);
    products(table);
    attention(table);
    table.finish();
#else
    const Counter counter(common);  // reports which build can count
#endif
    return 0;
  };
}

}  // namespace xf::bench
