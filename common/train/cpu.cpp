#include <algorithm>
#include <cmath>

#include "distributed/neighbours.hpp"
#include "tensor/parallel.hpp"
#include "tensor/vector_math.hpp"
#include "train/kernels.hpp"

namespace xf::kernel {

namespace {

// A stretch of one part, small enough to share the work evenly.
struct Chunk {
  std::size_t part;
  std::ptrdiff_t first, count;
};

std::ptrdiff_t size_of(const AdamPart& part) { return part.count; }
std::ptrdiff_t size_of(const ShardSums& part) { return part.count; }

template <class Part>
std::vector<Chunk> chunks(std::span<Part> parts) {
  std::vector<Chunk> list;
  for (std::size_t p = 0; p < parts.size(); ++p)
    for (std::ptrdiff_t first = 0; first < size_of(parts[p]); first += stretch)
      list.push_back({p, first, std::min(stretch, size_of(parts[p]) - first)});
  return list;
}

template <class Body>
void for_each_chunk(const std::vector<Chunk>& list, const Body& body) {
  parallel_for(static_cast<std::ptrdiff_t>(list.size()), 1, [&](auto first, auto last) {
    for (auto i = first; i < last; ++i) body(static_cast<std::size_t>(i));
  });
}

// sum <- sum + x in this chunk of their numbers.
struct AddChunk {
  Chunk chunk;

  void operator()(float* sum, const float* x) const {
    for (std::ptrdiff_t i = chunk.first; i < chunk.first + chunk.count; ++i) sum[i] += x[i];
  }
};

double sum_of_squares(const float* x, std::ptrdiff_t count) {
  const double sum = sum_over(count, [=](std::ptrdiff_t i) { return x[i] * x[i]; });
  if (std::isfinite(sum)) return sum;
  double wide = 0;  // of a finite number whose square no float has
  for (std::ptrdiff_t i = 0; i < count; ++i) wide += double{x[i]} * x[i];
  return wide;
}

void update(const AdamRates& r, float left, const float* g, float* m, float* v, float* w,
            std::ptrdiff_t count) {
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    const float gradient = g[i] * r.clip_factor;
    m[i] = r.beta1 * m[i] + (1 - r.beta1) * gradient;
    v[i] = r.beta2 * v[i] + (1 - r.beta2) * gradient * gradient;
    w[i] = left * w[i] -
           r.step_size * m[i] / (std::sqrt(v[i]) * r.inverse_root_correction + r.epsilon);
  }
}

}  // namespace

template <>
StepSums sum_gradients(Cpu, std::span<const AdamPart> parts, std::span<const float* const> losses) {
  const std::vector<Chunk> list = chunks(parts);
  StepSums sums{.squares = std::vector<double>(list.size()), .losses = {}};
  for_each_chunk(list, [&](std::size_t i) {
    const auto& [p, first, count] = list[i];
    std::vector<float*> shards = parts[p].shards;
    add_neighbours(std::span(shards), AddChunk{list[i]});
    sums.squares[i] = sum_of_squares(parts[p].gradient + first, count);
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

template <>
void adam(Cpu, const AdamRates& rates, std::span<const AdamPart> parts) {
  const std::vector<Chunk> list = chunks(parts);
  for_each_chunk(list, [&](std::size_t i) {
    const auto [p, first, count] = list[i];
    const AdamPart& part = parts[p];
    update(rates, part.left, part.gradient + first, part.m + first, part.v + first, part.w + first,
           count);
  });
}

}  // namespace xf::kernel
