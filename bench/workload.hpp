#pragma once

#include <cstdint>

#include "sizes.hpp"
#include "text/batches.hpp"

namespace xf::bench {

// Random sentence pairs. The generator and the order of its draws are those of torch_mt.py, so that
// the same seed gives both sides the same lengths and, except for the first and last token of a
// target row, the same ids.
struct Workload {
  std::vector<Example> pairs;
  long source_tokens = 0;
  long target_tokens = 0;  // those the loss counts; padding is never counted
};

// Every sentence is src_len (tgt_len) tokens long; when `ragged`, lengths are uniform in [3/8 L, L]
// with L = src_len (L = tgt_len + 1, before the shift), and the first row has full length. Throws
// UserError when a ragged target could come out empty.
Workload random_pairs(const Sizes& sizes, bool ragged, std::uint64_t seed);

// Floating-point operations of the matrix products of one training step, without padding. A
// multiplication and an addition count as two, and backward as twice forward.
double training_flops(const Sizes& sizes, const std::vector<Example>& pairs);

// The same for a translation of `batch` sentences of src_len tokens into out_len tokens each, with
// `beam` rows per sentence; without the cache, step t recomputes all its t positions.
double decoding_flops(const Sizes& sizes, int out_len, int beam, bool cache);

}  // namespace xf::bench
