#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tensor/tensor.hpp"

namespace xf {

// One sentence pair as ids: `source` ends in <eos>; `target` has neither <bos> nor <eos>.
struct Example {
  std::vector<int> source, target;
};

// Sentence pairs as padded rows, each filled up with <pad> to the length of the longest.
//   source: (B, S)   target_in: (B, T), <bos> t1 .. tn   target_out: (B, T), t1 .. tn <eos>
struct Batch {
  Ids source, target_in, target_out;
  int target_tokens = 0;   // without padding: the tokens counted by the loss
  std::vector<int> order;  // row -> index of its example

  int size() const { return static_cast<int>(order.size()); }
};

// The indices of all examples.
std::vector<int> all_of(const std::vector<Example>& examples);

// Throws std::invalid_argument when `which` is empty or names an example that does not exist.
Batch make_batch(const std::vector<Example>& examples, std::span<const int> which);

// All examples once, in batches of similar lengths whose padded source and padded target hold at
// most `batch_tokens` tokens each (a longer sentence is a batch of its own). The batches and their
// contents change with the epoch; equal (seed, epoch) give equal batches.
std::vector<std::vector<int>> length_bucketed_batches(const std::vector<Example>& examples,
                                                      int batch_tokens, std::uint64_t seed,
                                                      int epoch);

// The same without randomness, shortest first: for evaluation and translation.
std::vector<std::vector<int>> sorted_batches(const std::vector<Example>& examples,
                                             int batch_tokens);

// Splits the batch `which` into at most `shards` batches, one for each thread, with sentences of
// similar length together, so that the largest padded batch is as small as possible. Throws
// std::invalid_argument when `which` is empty or `shards` is not positive.
std::vector<Batch> split_batch(const std::vector<Example>& examples, std::span<const int> which,
                               int shards);

}  // namespace xf
