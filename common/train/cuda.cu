#include <algorithm>
#include <cmath>

#include "cuda/each.hpp"
#include "cuda/launch.hpp"
#include "distributed/neighbours.hpp"
#include "train/kernels.hpp"

namespace xf::kernel {

namespace {

constexpr int most_threads = cuda::block_threads;

struct Add {
  __device__ float operator()(std::ptrdiff_t, float sum, float x) const { return sum + x; }
};

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

// Equation of train/adam.hpp, for one weight.
__device__ void update(const AdamRates& r, float left, float gradient, float& m, float& v,
                       float& w) {
  gradient *= r.clip_factor;
  m = r.beta1 * m + (1 - r.beta1) * gradient;
  v = r.beta2 * v + (1 - r.beta2) * gradient * gradient;
  w = left * w - r.step_size * m / (sqrtf(v) * r.inverse_root_correction + r.epsilon);
}

// For every weight of a stretch, four at once as in cuda/each.hpp.
__global__ void adam_stretches(AdamRates r, Table table) {
  const Entry& entry = entry_of_block(table);
  const Stretch own = stretch_of_block(entry);
  const auto four = [](float* x, std::ptrdiff_t i) { return reinterpret_cast<float4*>(x + i); };
  const bool by_four = cuda::begins_at_16_bytes(entry.gradient, entry.m, entry.v, entry.w);
  const std::ptrdiff_t fours = by_four ? (own.last - own.first) / 4 : 0;
  for (std::ptrdiff_t n = threadIdx.x; n < fours; n += cuda::threads_of_block()) {
    const std::ptrdiff_t i = own.first + 4 * n;
    const float4 gradient = *four(entry.gradient, i);
    float4 m = *four(entry.m, i), v = *four(entry.v, i), w = *four(entry.w, i);
    update(r, entry.left, gradient.x, m.x, v.x, w.x);
    update(r, entry.left, gradient.y, m.y, v.y, w.y);
    update(r, entry.left, gradient.z, m.z, v.z, w.z);
    update(r, entry.left, gradient.w, m.w, v.w, w.w);
    *four(entry.m, i) = m;
    *four(entry.v, i) = v;
    *four(entry.w, i) = w;
  }
  for (std::ptrdiff_t i = own.first + 4 * fours + threadIdx.x; i < own.last;
       i += cuda::threads_of_block())
    update(r, entry.left, entry.gradient[i], entry.m[i], entry.v[i], entry.w[i]);
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
      cuda::for_each("add_each", part.count, Add{}, sum, sum, x);
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
