#include "cuda/each.hpp"
#include "cuda/launch.hpp"
#include "distributed/neighbours.hpp"
#include "train/exchange/table.hpp"

namespace xf::kernel {

namespace {

constexpr int max_threads = cuda::block_threads;

struct Add {
  __device__ float operator()(std::ptrdiff_t, float sum, float x) const { return sum + x; }
};

// The sum of squares of each stretch, in double.
__global__ void partial_squares(Table table, double* sums) {
  __shared__ double partial[max_threads];
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

}  // namespace

// All sums are copied to the host together: the only time in a step that it waits for the device.
template <>
StepSums sum_gradients(Cuda, std::span<const ShardSums> parts,
                       std::span<const float* const> losses) {
  std::size_t all = losses.size();
  for (const ShardSums& part : parts) all += stretches(part.count);
  cuda::Buffer<double> sums(all);
  double* to = sums.data();
  std::vector<Entry> entries;
  for (const ShardSums& part : parts) {
    entries.push_back({part.sum, nullptr, nullptr, nullptr, part.count, 1, 0});
    std::vector<float*> shards = part.shards;
    add_neighbours(std::span(shards), [&](float* sum, const float* x) {
      cuda::for_each("add_each", part.count, Add{}, sum, sum, x);
    });
  }
  for_each_table(entries, [&](const Table& table, unsigned blocks, unsigned threads) {
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

}  // namespace xf::kernel
