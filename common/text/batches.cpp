#include "text/batches.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>

#include "tensor/random.hpp"
#include "text/vocabulary.hpp"

namespace xf {

namespace {

// Batches of similar lengths are cut from pools of about this many batches, so that sentences are
// still combined at random when the corpus is large.
constexpr long pool_batches = 100;

int source_length(const Example& e) { return static_cast<int>(e.source.size()); }
int target_length(const Example& e) { return static_cast<int>(e.target.size()) + 1; }  // + <eos>

// The padded size of a batch to which rows are added.
struct Padded {
  int rows = 0, source = 0, target = 0;

  Padded with(const Example& e) const {
    return {rows + 1, std::max(source, source_length(e)), std::max(target, target_length(e))};
  }
  bool fits(long tokens) const {
    return static_cast<long>(rows) * std::max(source, target) <= tokens;
  }
  long work() const { return static_cast<long>(rows) * (source + target); }
};

// By target, then source length; ties keep their order.
void sort_by_length(const std::vector<Example>& examples, std::span<int> which) {
  const auto lengths = [&](int i) {
    return std::pair(target_length(examples[i]), source_length(examples[i]));
  };
  std::stable_sort(which.begin(), which.end(),
                   [&](int a, int b) { return lengths(a) < lengths(b); });
}

// Cuts `sorted` into runs; a run ends before the example that would violate `fits`.
template <class Fits>
std::vector<std::vector<int>> cut(const std::vector<Example>& examples, std::span<const int> sorted,
                                  Fits fits) {
  std::vector<std::vector<int>> runs;
  Padded size;
  for (int i : sorted) {
    if (runs.empty() || !fits(size.with(examples[i]))) {
      runs.emplace_back();
      size = {};
    }
    size = size.with(examples[i]);
    runs.back().push_back(i);
  }
  return runs;
}

std::vector<std::vector<int>> cut_to_tokens(const std::vector<Example>& examples,
                                            std::span<const int> sorted, int batch_tokens) {
  return cut(examples, sorted, [&](const Padded& size) { return size.fits(batch_tokens); });
}

// The end of the pool that starts at `first`; it has at least one example.
std::size_t pool_end(const std::vector<Example>& examples, std::span<const int> order,
                     std::size_t first, int batch_tokens) {
  long tokens = 0;
  do {
    tokens += target_length(examples[order[first++]]);
  } while (first < order.size() && tokens < pool_batches * batch_tokens);
  return first;
}

// A (rows, width) array filled with <pad>, into which row(example, where) writes each row.
template <class Row>
Ids padded_rows(std::span<const int> which, int width, Row row) {
  const int rows = static_cast<int>(which.size());
  Ids ids = Ids::full({rows, width}, pad_id);
  for (int b = 0; b < rows; ++b)
    row(which[b], ids.begin() + static_cast<std::ptrdiff_t>(b) * width);
  return ids;
}

}  // namespace

std::vector<int> all_of(const std::vector<Example>& examples) {
  std::vector<int> order(examples.size());
  std::iota(order.begin(), order.end(), 0);
  return order;
}

Batch make_batch(const std::vector<Example>& examples, std::span<const int> which) {
  if (which.empty()) throw std::invalid_argument("make_batch: no examples");
  Batch batch;
  Padded size;
  for (int i : which) {
    if (i < 0 || i >= static_cast<int>(examples.size()))
      throw std::invalid_argument("make_batch: example " + std::to_string(i) + " of " +
                                  std::to_string(examples.size()));
    size = size.with(examples[i]);
    batch.target_tokens += target_length(examples[i]);
  }
  batch.order.assign(which.begin(), which.end());
  batch.source = padded_rows(which, size.source, [&](int i, std::int32_t* to) {
    std::copy(examples[i].source.begin(), examples[i].source.end(), to);
  });
  batch.target_in = padded_rows(which, size.target, [&](int i, std::int32_t* to) {
    *to = bos_id;
    std::copy(examples[i].target.begin(), examples[i].target.end(), to + 1);
  });
  batch.target_out = padded_rows(which, size.target, [&](int i, std::int32_t* to) {
    *std::copy(examples[i].target.begin(), examples[i].target.end(), to) = eos_id;
  });
  return batch;
}

std::vector<std::vector<int>> length_bucketed_batches(const std::vector<Example>& examples,
                                                      int batch_tokens, std::uint64_t seed,
                                                      int epoch) {
  Random random(seed, static_cast<std::uint64_t>(epoch));
  std::vector<int> order = all_of(examples);
  random.shuffle(order.begin(), order.end());
  std::vector<std::vector<int>> batches;
  for (std::size_t first = 0; first < order.size();) {
    const std::size_t end = pool_end(examples, order, first, batch_tokens);
    const std::span<int> pool(order.data() + first, end - first);
    sort_by_length(examples, pool);
    for (auto& batch : cut_to_tokens(examples, pool, batch_tokens))
      batches.push_back(std::move(batch));
    first = end;
  }
  random.shuffle(batches.begin(), batches.end());
  return batches;
}

std::vector<std::vector<int>> sorted_batches(const std::vector<Example>& examples,
                                             int batch_tokens) {
  std::vector<int> order = all_of(examples);
  sort_by_length(examples, order);
  return cut_to_tokens(examples, order, batch_tokens);
}

std::vector<Batch> split_batch(const std::vector<Example>& examples, std::span<const int> which,
                               int shards) {
  if (shards < 1) throw std::invalid_argument("split_batch: " + std::to_string(shards) + " shards");
  if (which.empty()) throw std::invalid_argument("split_batch: no examples");
  std::vector<int> sorted(which.begin(), which.end());
  sort_by_length(examples, sorted);
  const auto cut_to_work = [&](long work) {
    return cut(examples, sorted, [&](const Padded& size) { return size.work() <= work; });
  };
  Padded whole;
  for (int i : sorted) whole = whole.with(examples[i]);
  long low = 0, high = whole.work();  // low: too small, high: large enough
  while (high - low > 1) {
    const long middle = low + (high - low) / 2;
    (static_cast<int>(cut_to_work(middle).size()) <= shards ? high : low) = middle;
  }
  std::vector<Batch> parts;
  for (const auto& part : cut_to_work(high)) parts.push_back(make_batch(examples, part));
  return parts;
}

}  // namespace xf
