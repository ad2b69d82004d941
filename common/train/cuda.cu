#include <algorithm>
#include <cmath>

#include "cuda/launch.hpp"
#include "distributed/neighbours.hpp"
#include "train/kernels.hpp"

namespace xf::kernel {

namespace {

constexpr int most_threads = cuda::block_threads;

__global__ void add_each(float* sum, const float* x, std::ptrdiff_t count) {
  const std::ptrdiff_t i = cuda::thread_number();
  if (i < count) sum[i] += x[i];
}

// A part as a kernel sees it: its stretches are those of the blocks from first_block on.
struct Entry {
  float *gradient, *m, *v, *w;
  std::ptrdiff_t count;
  float left;
  unsigned first_block;
};
// Many parts for one launch. It comes along as the kernel's argument, 4 KB of which every GPU
// takes: nothing is copied to the device for it.
struct Table {
  static constexpr int most = 80;
  Entry entries[most];
  int count;
};
static_assert(sizeof(Table) < 4000);

// This block's part: the last one that begins at it or before it.
__device__ const Entry& entry_of_block(const Table& table) {
  int first = 0, last = table.count - 1;
  while (first < last) {
    const int middle = (first + last + 1) / 2;
    if (table.entries[middle].first_block <= blockIdx.x)
      first = middle;
    else
      last = middle - 1;
  }
  return table.entries[first];
}

// Where this block's stretch of the part begins and ends.
struct Stretch {
  std::ptrdiff_t first, last;
};
__device__ Stretch stretch_of_block(const Entry& entry) {
  const std::ptrdiff_t first = (blockIdx.x - entry.first_block) * stretch;
  return {first, first + stretch < entry.count ? first + stretch : entry.count};
}

// Each stretch's sum of squares, in double.
__global__ void partial_squares(Table table, double* sums) {
  __shared__ double partial[most_threads];
  const Entry& entry = entry_of_block(table);
  const Stretch own = stretch_of_block(entry);
  const unsigned self = threadIdx.x;
  double sum = 0;
  for (std::ptrdiff_t i = own.first + self; i < own.last; i += cuda::threads_of_block())
    sum += double(entry.gradient[i]) * double(entry.gradient[i]);
  partial[self] = sum;
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    __syncthreads();
    if (self < half) partial[self] += partial[self + half];
  }
  if (self == 0) sums[blockIdx.x] = partial[0];
}

__global__ void widen(const float* number, double* to) { *to = *number; }

// Equation of train/adam.hpp, for every weight of a stretch.
__global__ void adam_stretches(AdamRates r, Table table) {
  const Entry& entry = entry_of_block(table);
  const Stretch own = stretch_of_block(entry);
  float *const m = entry.m, *const v = entry.v, *const w = entry.w;
  for (std::ptrdiff_t i = own.first + threadIdx.x; i < own.last; i += cuda::threads_of_block()) {
    const float gradient = entry.gradient[i] * r.clip_factor;
    const float mean = r.beta1 * m[i] + (1 - r.beta1) * gradient;
    const float square = r.beta2 * v[i] + (1 - r.beta2) * gradient * gradient;
    m[i] = mean;
    v[i] = square;
    w[i] = entry.left * w[i] -
           r.step_size * mean / (sqrtf(square) * r.inverse_root_correction + r.epsilon);
  }
}

unsigned blocks_of(const AdamPart& part) {
  return static_cast<unsigned>((part.count + stretch - 1) / stretch);
}

// work(table, blocks, threads) for as many tables as the parts fill.
template <class Work>
void for_each_table(std::span<const AdamPart> parts, const Work& work) {
  for (std::size_t first = 0; first < parts.size(); first += Table::most) {
    Table table{};
    unsigned blocks = 0;
    std::ptrdiff_t longest = 0;
    const std::size_t size = std::min<std::size_t>(Table::most, parts.size() - first);
    for (const AdamPart& p : parts.subspan(first, size)) {
      table.entries[table.count++] = {p.gradient, p.m, p.v, p.w, p.count, p.left, blocks};
      blocks += blocks_of(p);
      longest = std::max(longest, p.count);
    }
    work(table, blocks, cuda::tree_threads(longest));
  }
}

}  // namespace

// All sums are copied to the host together: the only time in a step that it waits for the device.
template <>
StepSums sum_gradients(Cuda, std::span<const AdamPart> parts,
                       std::span<const float* const> losses) {
  std::size_t all = losses.size();
  for (const AdamPart& part : parts) all += blocks_of(part);
  cuda::Buffer<double> sums(all);
  double* to = sums.data();
  for (const AdamPart& part : parts) {
    std::vector<float*> shards = part.shards;
    add_neighbours(std::span(shards), [&](float* sum, const float* x) {
      cuda::launch(cuda::one_thread_each("add_each", part.count), add_each, sum, x, part.count);
    });
  }
  for_each_table(parts, [&](const Table& table, unsigned blocks, unsigned threads) {
    cuda::launch({"partial_squares", blocks, threads}, partial_squares, table, to);
    to += blocks;
  });
  for (const float* loss : losses) cuda::launch({"widen", 1, 1}, widen, loss, to++);
  const std::vector<double> numbers = sums.values();
  const auto end = numbers.end() - std::ssize(losses);
  StepSums found{.squares = {numbers.begin(), end}, .losses = {}};
  for (auto loss = end; loss != numbers.end(); ++loss)
    found.losses.push_back(static_cast<float>(*loss));
  return found;
}

template <>
void adam(Cuda, const AdamRates& rates, std::span<const AdamPart> parts) {
  for_each_table(parts, [&](const Table& table, unsigned blocks, unsigned threads) {
    cuda::launch({"adam_stretches", blocks, threads}, adam_stretches, rates, table);
  });
}

}  // namespace xf::kernel
