#include <algorithm>
#include <cmath>

#include "distributed/neighbours.hpp"
#include "tensor/vector_math.hpp"
#include "train/exchange/chunks.hpp"
#include "train/exchange/kernels.hpp"

namespace xf::kernel {

namespace {

// sum <- sum + x for the numbers of this chunk.
struct AddChunk {
  Chunk chunk;

  void operator()(float* sum, const float* x) const {
    for (std::ptrdiff_t i = chunk.first; i < chunk.first + chunk.count; ++i) sum[i] += x[i];
  }
};

double sum_of_squares(const float* x, std::ptrdiff_t count) {
  const double sum = sum_over(count, [=](std::ptrdiff_t i) { return x[i] * x[i]; });
  if (std::isfinite(sum)) return sum;
  double wide = 0;  // finite numbers whose squares overflow a float
  for (std::ptrdiff_t i = 0; i < count; ++i) wide += double{x[i]} * x[i];
  return wide;
}

}  // namespace

template <>
StepSums sum_gradients(Cpu, std::span<const ShardSums> parts,
                       std::span<const float* const> losses) {
  const std::vector<Chunk> list = chunks(parts);
  StepSums sums{.squares = std::vector<double>(list.size()), .losses = {}};
  for_each_chunk(list, [&](std::size_t i) {
    const auto& [p, first, count] = list[i];
    std::vector<float*> shards = parts[p].shards;
    add_neighbours(std::span(shards), AddChunk{list[i]});
    sums.squares[i] = sum_of_squares(parts[p].sum + first, count);
  });
  for (const float* loss : losses) sums.losses.push_back(*loss);
  return sums;
}

template <>
void add_shards(Cpu, std::span<ShardSums> parts, int first_shard, int last_shard) {
  const std::vector<Chunk> list = chunks(parts);
  for_each_chunk(list, [&](std::size_t i) {
    std::vector<float*> shards = parts[list[i].part].shards;
    add_neighbours(std::span(shards), first_shard, last_shard, AddChunk{list[i]});
  });
  for (ShardSums& part : parts)
    add_neighbours(std::span(part.shards), first_shard, last_shard, [](float*, const float*) {});
}

template <>
std::vector<double> add_all_shards(Cpu, std::span<const ShardSums> parts) {
  const std::vector<Chunk> list = chunks(parts);
  std::vector<double> squares(list.size());
  for_each_chunk(list, [&](std::size_t i) {
    const auto& [p, first, count] = list[i];
    std::vector<float*> shards = parts[p].shards;
    add_neighbours(std::span(shards), AddChunk{list[i]});
    float* const sum = parts[p].sum + first;
    std::copy_n(shards[0] + first, count, sum);
    squares[i] = sum_of_squares(sum, count);
  });
  return squares;
}

}  // namespace xf::kernel
