#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "tensor/parallel.hpp"
#include "train/exchange/kernels.hpp"

namespace xf::kernel {

// A stretch of one part, small enough to share the work evenly.
struct Chunk {
  std::size_t part;
  std::ptrdiff_t first, count;
};

template <class Part>
std::vector<Chunk> chunks(std::span<Part> parts) {
  std::vector<Chunk> list;
  for (std::size_t p = 0; p < parts.size(); ++p)
    for (std::ptrdiff_t first = 0; first < parts[p].count; first += stretch)
      list.push_back({p, first, std::min(stretch, parts[p].count - first)});
  return list;
}

template <class Body>
void for_each_chunk(const std::vector<Chunk>& list, const Body& body) {
  parallel_for(static_cast<std::ptrdiff_t>(list.size()), 1, [&](auto first, auto last) {
    for (auto i = first; i < last; ++i) body(static_cast<std::size_t>(i));
  });
}

}  // namespace xf::kernel
