#pragma once

#include "text/batches.hpp"

namespace xf {

// Sentences end to end in one row, without padding.
//   ids: (1, N)   starts: where each begins, and N at the end
struct PackedIds {
  Ids ids;
  std::vector<int> starts;
};

// What a Batch holds, without its padding: the loss counts every one of the target's positions.
struct PackedBatch {
  PackedIds source, target_in;
  Ids target_out;  // (1, N)
  int target_tokens() const { return static_cast<int>(target_out.count()); }
};

// Throws std::invalid_argument when `which` is empty or names an example that is not there.
PackedBatch make_packed_batch(const std::vector<Example>& examples, std::span<const int> which);

// The batch `which` cut into at most `shards` packed batches for as many threads, of as nearly
// equal numbers of tokens as whole sentences allow. Throws std::invalid_argument when `which` is
// empty or `shards` is not positive.
std::vector<PackedBatch> split_packed_batch(const std::vector<Example>& examples,
                                            std::span<const int> which, int shards);

}  // namespace xf
