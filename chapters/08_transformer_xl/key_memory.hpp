#pragma once

#include <algorithm>
#include <vector>

#include "08_transformer_xl/memory.hpp"
#include "08_transformer_xl/relative_attention.hpp"
#include "08_transformer_xl/relative_position.hpp"

namespace xf {

// The memory of a model that only reads: instead of the states h, their keys W_k h and values
// W_v h. A remembered state has the same ones for every later segment, as long as the weights do
// not move: they are projected once, when the state is new, instead of again for every segment
// that sees it. For a segment of T tokens, per layer, in multiply-adds:
//   with states        2 D^2 (M + T)    for k and v, and D^2 (M + T) for W_kR R
//   with their keys    2 D^2 T
// In training it must be the states: after an update, other weights would project them.
struct KeyMemory {
  struct Layer : RelativeAttention::Keys {
    int present_length() const { return k.defined() ? k.size(2) : 0; }

    // k, v <- [k, v ; of the segment]   (B, H, M + T, Dk)
    void append(const Tensor& new_k, const Tensor& new_v) {
      k = k.defined() ? concat(k, new_k, 2) : new_k;
      v = v.defined() ? concat(v, new_v, 2) : new_v;
    }
    void cut(const Span& kept) {
      if (kept.first == 0 && kept.last == k.size(2)) return;
      k = slice(k, 2, kept.first, kept.last - kept.first);
      v = slice(v, 2, kept.first, kept.last - kept.first);
    }
    // Makes r long enough for so many keys; at first as long as the model's own table.
    void reach(int keys, const RelativeAttention& attention, const RelativePositions& positions) {
      if (r.defined() && r.size(2) >= keys) return;
      r = attention.distances(positions(std::max(keys, positions.table.size(0))));
    }
  };

  int memory_length = 0;
  int extended_length = 0;
  std::vector<Layer> layers = {};  // empty at the start of a text

  int present_length() const { return layers.empty() ? 0 : layers[0].present_length(); }
  SegmentLengths lengths(int query_length) const {
    return {.query_length = query_length,
            .present_length = present_length(),
            .memory_length = memory_length,
            .extended_length = extended_length};
  }
  // Of [memory, segment], only what the next segment needs.
  void keep(const SegmentLengths& n) {
    for (Layer& layer : layers) layer.cut(remembered(n));
  }
};

}  // namespace xf
