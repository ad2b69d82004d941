#pragma once

#include <algorithm>
#include <vector>

#include "autograd/recorder.hpp"
#include "ops/shape/shape_ops.hpp"
#include "ops/softmax/softmax.hpp"

namespace xf {

// The four lengths of a segment. The published code passes them by position, and its one call
// swaps two of them; name them: {.query_length = T, .present_length = M, .memory_length = 64}.
struct SegmentLengths {
  int query_length;         // T: tokens of this segment, the repeated ones included
  int present_length;       // M: states remembered at present; grows to memory_length
  int memory_length;        // how many are remembered at most
  int extended_length = 0;  // how many tokens at the segment's end come again with the next
};

// Which of the M + T states [memory, segment] are remembered for the next segment: the last
// `memory_length` of those before the extended tokens, which are computed again.
//   last = M + max(0, T - extended),   first = max(0, last - memory_length)
struct Span {
  int first, last;  // [first, last)
};
inline Span remembered(const SegmentLengths& n) {
  const int last = n.present_length + std::max(0, n.query_length - n.extended_length);
  return {std::max(0, last - n.memory_length), last};
}

// Which keys query i may see. It is at position M + i of the keys [memory, segment], so that
// the past and itself are
//   j <= M + i.
// The window grows along the segment: M + 1 keys for the first query, M + T for the last. With
// `same_length` every query sees the last `memory_length` keys (itself included), fewer only
// as long as no more exist:
//   M + i - memory_length < j <= M + i,   with a full memory (M = memory_length): i < j <= M + i.
// returns (1, T, M + T). Throws std::invalid_argument for same_length without memory: no keys.
inline Mask segment_mask(const SegmentLengths& n, bool same_length) {
  if (same_length && n.memory_length < 1)
    throw std::invalid_argument("segment_mask: same_length needs a memory_length of at least 1");
  const int keys = n.present_length + n.query_length;
  Ids allowed = Ids::full({1, n.query_length, keys}, 0);
  for (int i = 0; i < n.query_length; ++i) {
    const int last = n.present_length + i;
    const int first = same_length ? std::max(0, last - n.memory_length + 1) : 0;
    std::fill_n(allowed.begin() + std::ptrdiff_t(i) * keys + first, last - first + 1, 1);
  }
  return allowed;
}

// What the model remembers from the segments before: for every layer the last states that went
// into it, the embeddings for the first layer. The last layer's output goes into no layer, and
// is not remembered. With pre-norm the states are those of the residual stream, un-normalised:
// each layer normalises memory and segment alike.
struct Memory {
  int memory_length = 0;
  int extended_length = 0;
  std::vector<Tensor> states = {};  // per layer (B, M, D); empty at the start of a text

  int present_length() const { return states.empty() ? 0 : states[0].size(1); }
  // What layer i adds to its keys; an undefined tensor at the start of a text.
  Tensor of(std::size_t i) const { return present_length() == 0 ? Tensor() : states[i]; }

  SegmentLengths lengths(int query_length) const {
    return {.query_length = query_length,
            .present_length = present_length(),
            .memory_length = memory_length,
            .extended_length = extended_length};
  }

  // memory^n <- SG([memory^n ; h^n]) [first ... last): the new memory of layer n+1.
  // No gradient flows into the past: that is what bounds the cost of a training step.
  //   inputs: per layer (B, T, D), what went into it   Dai et al. 2019, 3.2
  void update(const std::vector<Tensor>& inputs) {
    const SegmentLengths n = lengths(inputs[0].size(1));
    const Span span = remembered(n);
    std::vector<Tensor> next;
    for (std::size_t i = 0; i < inputs.size(); ++i)
      next.push_back(joined(of(i), detach(inputs[i]), span));  // (B, last - first, D)
    states = std::move(next);
  }

 private:
  // The states [first, last) of [past ; h]. Where the past drops out, nothing is copied twice.
  static Tensor joined(const Tensor& past, const Tensor& h, const Span& span) {
    const int before = past.defined() ? past.size(1) : 0, count = span.last - span.first;
    if (count == 0 || span.first < before) {
      const Tensor all = past.defined() ? concat(detach(past), h, 1) : h;  // (B, M+T, D)
      return slice(all, 1, span.first, count);
    }
    if (count == h.size(1)) return h;
    return slice(h, 1, span.first - before, count);
  }
};

// h^n = layer_n(h^(n-1), memory^(n-1)) for N layers, and the memory moves on by this segment.
//   x: (B, T, D), h^0   layer(n - 1, h^(n-1), memory^(n-1))   returns (B, T, D), h^N
template <class Layer>
Tensor with_memory(std::size_t count, Tensor x, Memory& memory, const Layer& layer) {
  std::vector<Tensor> inputs;
  for (std::size_t i = 0; i < count; ++i) {
    const Scope scope("layers", i);
    inputs.push_back(x);
    x = layer(i, x, memory.of(i));  // (B, T, D)
    watch("output", x);
  }
  memory.update(inputs);
  return x;
}

}  // namespace xf
