#pragma once

#include <algorithm>
#include <vector>

#include "05_encoder/stack.hpp"
#include "08_transformer_xl/relative_attention.hpp"
#include "ops/shape/shape_ops.hpp"
#include "ops/softmax/softmax.hpp"

namespace xf {

// The four lengths of a segment. The published code passes them by position, and its only call
// swaps two of them, so name them: {.query_length = T, .present_length = M, .memory_length = 64}.
struct SegmentLengths {
  int query_length;         // T: tokens of this segment, including repeated ones
  int present_length;       // M: states currently remembered; grows to memory_length
  int memory_length;        // the maximum number of states remembered
  int extended_length = 0;  // tokens at the segment's end that the next one repeats
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

// Which keys query i may see. It is at position M + i of the keys [memory, segment], so that the
// past and itself are
//   j <= M + i.
// The window grows along the segment: M + 1 keys for the first query, M + T for the last. With
// `same_length` every query sees the last `memory_length` keys (itself included), or fewer while
// there are not that many yet:
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

// What is remembered of earlier segments. Training has to remember states, because after an update
// other weights project them to other keys. A model used only for inference keeps the keys W_k h
// and values W_v h, which stay the same for every later segment: each state is projected only once.
// For a segment of T tokens, per layer, in multiply-adds:
//   states     2 D^2 (M + T)    for k and v, and D^2 (M + T) for W_kR R
//   keys       2 D^2 T
enum class Remembered { states, keys };

// The memory of a model: for every layer its latest inputs, which for the first layer are the
// embeddings. The last layer's output is no layer's input and is not remembered. With pre-norm the
// states are those of the residual stream, un-normalised: each layer normalises the memory in the
// same way as the segment.
struct Memory {
  struct Layer {
    Remembered what = Remembered::states;
    Tensor states = {};                 // (B, M, D) if these are remembered; undefined at the start
    RelativeAttention::Keys keys = {};  // otherwise: k, v (B, H, M, Dk), r for all distances so far

    int length() const {
      return keys.k.defined() ? keys.k.size(2) : states.defined() ? states.size(1) : 0;
    }

    // What the layer's queries attend to: [SG(past) ; h], where h is x or, with pre-norm, norm(x),
    // and the past is normalised in the same way. No gradient flows into the past, which bounds the
    // cost of a training step.                                         Dai et al. 2019, 3.2
    //   h: (B, T, D)   returns (B, M + T, D)
    Tensor context(const Tensor& h, const LayerNorm& norm, NormOrder order) const {
      if (length() == 0) return h;
      const Tensor past = detach(states);
      return concat(order == NormOrder::pre ? norm(past) : past, h, 1);
    }

    // k, v <- [k, v ; the segment's k, v]   (B, H, M + T, Dk)
    void append(const Tensor& k, const Tensor& v) {
      keys.k = keys.k.defined() ? concat(keys.k, k, 2) : k;
      keys.v = keys.v.defined() ? concat(keys.v, v, 2) : v;
    }

    // memory^n <- SG([memory^n ; h^n]) [first ... last): the new memory of layer n+1.
    //   x: (B, T, D), the layer's input, h^n
    void update(const Tensor& x, const Span& span) {
      if (what == Remembered::keys) {  // the keys of x have already been appended
        if (span.first == 0 && span.last == keys.k.size(2)) return;
        keys.k = slice(keys.k, 2, span.first, span.last - span.first);
        keys.v = slice(keys.v, 2, span.first, span.last - span.first);
      } else {
        states = joined(length() == 0 ? Tensor() : detach(states), detach(x), span);
      }
    }

   private:
    // The states [first, last) of [past ; h]. If none of the past is kept, nothing is concatenated.
    static Tensor joined(const Tensor& past, const Tensor& h, const Span& span) {
      const int before = past.defined() ? past.size(1) : 0, count = span.last - span.first;
      if (count == 0 || span.first < before) {
        const Tensor all = past.defined() ? concat(past, h, 1) : h;  // (B, M+T, D)
        return slice(all, 1, span.first, count);
      }
      if (count == h.size(1)) return h;
      return slice(h, 1, span.first - before, count);
    }
  };

  int memory_length = 0;
  int extended_length = 0;
  Remembered remembered = Remembered::states;
  std::vector<Layer> layers = {};  // empty at the start of a text

  int present_length() const { return layers.empty() ? 0 : layers[0].length(); }
  SegmentLengths lengths(int query_length) const {
    return {.query_length = query_length,
            .present_length = present_length(),
            .memory_length = memory_length,
            .extended_length = extended_length};
  }
};

// h^n = layer_n(h^(n-1), memory^(n-1)) for the layers of a stack, and each memory advances by this
// segment.
//   x: (B, T, D), h^0   run(layer, h^(n-1), memory^(n-1), n - 1)   returns (B, T, D), h^N
template <class Layer, class Run>
Tensor with_memory(const Stack<Layer>& stack, const Tensor& x, Memory& memory, const Run& run) {
  const Span span = remembered(memory.lengths(x.size(1)));
  memory.layers.resize(stack.layers.size(), {.what = memory.remembered});
  return stack.through(x, [&](const Layer& layer, const Tensor& h, std::size_t i) {
    const Tensor y = run(layer, h, memory.layers[i], i);  // (B, T, D)
    memory.layers[i].update(h, span);
    return y;
  });
}

}  // namespace xf
