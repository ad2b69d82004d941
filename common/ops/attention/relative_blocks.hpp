#pragma once

namespace xf::kernel {

// The queries [first, first + t) and the keys up to the last of them: a problem of the same kind,
// with s - t keys before the first query. Its scores are contiguous, in rows of s, and start where
// the rows of these queries begin in a whole (T, S) matrix. Each block has its own dropout mask.
struct RelativeBlock {
  int first, t, s;
};

// The number of blocks for `t` queries and `s` keys.
constexpr int relative_blocks(int t, int s) {
  const int most = s < 1024 ? 64 : 256;
  return (t + most - 1) / most;
}
constexpr RelativeBlock relative_block(int i, int t, int s) {
  const int count = relative_blocks(t, s);
  const int first = t * i / count, end = t * (i + 1) / count;
  return {first, end - first, s - t + end};
}
// The block that a query belongs to: the last i with t i / count <= query.
constexpr RelativeBlock relative_block_of(int query, int t, int s) {
  return relative_block(((query + 1) * relative_blocks(t, s) - 1) / t, t, s);
}

}  // namespace xf::kernel
