#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "cuda/launch.hpp"
#include "train/exchange/kernels.hpp"

namespace xf::kernel {

// A part as a kernel sees it: the blocks from first_block on process its stretches.
struct Entry {
  const float* gradient;
  float *m, *v, *w;  // null if only the gradient is used
  std::ptrdiff_t count;
  float left;
  unsigned first_block;
};
// Many parts for one launch. It is passed as the kernel's argument, which may have 4 KB on every
// GPU, so that no copy to the device is needed.
struct Table {
  static constexpr int most = 80;
  Entry entries[most];
  int count;
};
static_assert(sizeof(Table) < 4000);

// This block's part: the last one with a first_block not after this block.
inline __device__ const Entry& entry_of_block(const Table& table) {
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

// The range of this block's stretch within the part.
struct Stretch {
  std::ptrdiff_t first, last;
};
inline __device__ Stretch stretch_of_block(const Entry& entry) {
  const std::ptrdiff_t first = (blockIdx.x - entry.first_block) * stretch;
  return {first, first + stretch < entry.count ? first + stretch : entry.count};
}

// Calls work(table, blocks, threads) for each table filled with entries; sets first_block.
template <class Work>
void for_each_table(std::vector<Entry> entries, const Work& work) {
  for (std::size_t first = 0; first < entries.size(); first += Table::most) {
    Table table{};
    unsigned blocks = 0;
    std::ptrdiff_t longest = 0;
    const std::size_t size = std::min<std::size_t>(Table::most, entries.size() - first);
    for (Entry entry : std::span(entries).subspan(first, size)) {
      entry.first_block = blocks;
      table.entries[table.count++] = entry;
      blocks += static_cast<unsigned>(stretches(entry.count));
      longest = std::max(longest, entry.count);
    }
    work(table, blocks, cuda::tree_threads(longest));
  }
}

}  // namespace xf::kernel
