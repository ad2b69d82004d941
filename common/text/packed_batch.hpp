#pragma once

#include "text/batches.hpp"
#include "text/sentences.hpp"

namespace xf {

// A Batch with its sentences end to end, without padding: every position of the target counts in
// the loss.
struct PackedBatch {
  Sentences source, target_in;
  Ids target_out;  // (1, N)
  int target_tokens() const { return static_cast<int>(target_out.count()); }
};

// Throws std::invalid_argument when `which` is empty or names an example that does not exist.
PackedBatch make_packed_batch(const std::vector<Example>& examples, std::span<const int> which);

// Splits the batch `which` into at most `shards` packed batches, one for each thread, with token
// counts as equal as whole sentences allow. Throws std::invalid_argument when `which` is empty or
// `shards` is not positive.
std::vector<PackedBatch> split_packed_batch(const std::vector<Example>& examples,
                                            std::span<const int> which, int shards);

}  // namespace xf
