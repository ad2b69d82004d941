#pragma once

#include <algorithm>
#include <functional>
#include <numeric>

#include "02_attention/attention.hpp"
#include "02_attention/mask.hpp"
#include "09_since_2017/rotary_position.hpp"
#include "09_since_2017/swiglu.hpp"
#include "autograd/recorder.hpp"
#include "ops/attention/attend_rows.hpp"
#include "ops/heads/heads.hpp"
#include "ops/shape/shape_ops.hpp"

namespace xf {

// The cached part of one text in a layer: a row for each position, its G heads side by side.
struct GroupedCache {
  GrowingRows k, v;  // (N, G*Dk) each
};

// Grouped-query attention (Ainslie et al. 2023): R = H / G query heads share one head of keys and
// values; query heads g R to g R + R - 1 use key head g. G = H is chapter 2's attention, G = 1
// multi-query attention (Shazeer 2019). The cache holds 2 G Dk numbers per position and layer
// instead of 2 H Dk.
struct GroupedAttention {
  int heads, groups;   // H, G
  float score_factor;  // in addition to 1 / sqrt(Dk)
  Linear w_q;          // (H*Dk, D)
  Linear w_k, w_v;     // (G*Dk, D)
  Linear w_o;          // (D, H*Dk)
  // Optional hook applied to q and k before the rotation (RoPE), such as Qwen3's QK-norm.
  std::function<void(Tensor& q, Tensor& k)> before_turning = nullptr;

  static constexpr int stretch = 256;  // queries of a long text that are processed at a time

  GroupedAttention(const DecoderConfig& c, const std::string& name, const ParameterSource& source,
                   int layer)
      : heads(c.heads),
        groups(c.key_value_heads),
        score_factor((c.divides_by_root ? 1.0f : std::sqrt(float(c.d_k))) /
                     (c.divides_by_layer ? float(layer + 1) : 1.0f)),
        w_q(linear_from(source, name + ".w_q", c.d_model, c.heads * c.d_k, c.qkv_bias)),
        w_k(linear_from(source, name + ".w_k", c.d_model, c.key_value_heads * c.d_k, c.qkv_bias)),
        w_v(linear_from(source, name + ".w_v", c.d_model, c.key_value_heads * c.d_k, c.qkv_bias)),
        w_o(linear_from(source, name + ".w_o", c.heads * c.d_k, c.d_model, c.output_bias)) {}

  // Each position sees itself and those before it; with a cache, to which its keys and values are
  // appended, also those of earlier calls.
  //   x: (B, T, D), with a cache that is not empty (1, T, D)   turns: (T, Dk), or undefined
  //   returns (B, T, D)
  Tensor operator()(const Tensor& x, const Tensor& turns, GroupedCache* cache = nullptr) const {
    const auto [q, k, v] = projected(x, turns);  // (B, T, H*Dk), (B, T, G*Dk) twice
    const bool goes_on = cache && cache->k.count() > 0;
    if (cache) cache->k.append(k), cache->v.append(v);
    if (!goes_on) return w_o(among(q, k, v));
    return w_o(q.size(1) == 1 ? to_rows(q, *cache) : among(q, cache->k.rows(), cache->v.rows()));
  }

  // Queries, keys and values, ready for attention.   x: (B, T, D)
  std::array<Tensor, 3> projected(const Tensor& x, const Tensor& turns) const {
    auto [q, k, v] = outputs(x, w_q, w_k, w_v);
    if (before_turning) before_turning(q, k);
    if (turns.defined()) q = rotate(q, turns), k = rotate(k, turns);
    if (score_factor != 1) q = scale(q, score_factor);
    return {q, k, v};
  }

  template <class Visitor>
  void visit(Visitor&& v) {
    v("w_q", w_q);
    v("w_k", w_k);
    v("w_v", w_v);
    v("w_o", w_o);
  }

 private:
  // Queries of the last T of S positions, keys of all S. A long text is processed in blocks of
  // queries, each with the keys up to its end, so that T x S scores are never in memory at once.
  // With a tape, which keeps them anyway, or a recorder, which needs them whole, there is only one
  // block.
  //   q: (B, T, H*Dk)   k, v: (B, S, G*Dk)
  Tensor among(const Tensor& q, const Tensor& k, const Tensor& v) const {
    const int length = q.size(1), before = k.size(1) - length;
    if (length <= stretch || Tape::active() || Recorder::active()) return within(q, k, v, before);
    Tensor y;
    for (int first = 0; first < length; first += stretch) {
      const int count = std::min(stretch, length - first), end = before + first + count;
      const Tensor part = within(slice(q, 1, first, count), slice(k, 1, 0, end),
                                 slice(v, 1, 0, end), before + first);
      y = first == 0 ? part : concat(y, part, 1);
    }
    return y;
  }

  // T queries, the first of them at position `first`, and the keys of all S positions. The R heads
  // of a group are stacked as rows of one matrix of queries, R T of them, so that no key is copied.
  Tensor within(const Tensor& q, const Tensor& k, const Tensor& v, int first) const {
    const int batch = q.size(0), length = q.size(1), d_k = q.size(2) / heads;
    const int shared = heads / groups;  // R
    const Tensor rows = reshape(split_heads(q, heads), {batch, groups, shared * length, d_k});
    const Tensor y = attention(rows, split_heads(k, groups), split_heads(v, groups),
                               mask(shared, length, k.size(1), first));  // (B, G, R*T, Dk)
    return merge_heads(reshape(y, {batch, heads, length, d_k}));         // (B, T, H*Dk)
  }

  // The causal mask, repeated for each of R heads.   returns (1, R*T, S)
  static Mask mask(int shared, int queries, int keys, int first) {
    const Ids once = causal_mask(queries, keys, first).allowed();
    Ids all = Ids::full({1, shared * queries, keys}, 0);
    for (int r = 0; r < shared; ++r)
      std::copy(once.begin(), once.end(), all.begin() + r * once.count());
    return all;
  }

  // One query position against the cached rows: R queries of width G*Dk, one head of each group.
  Tensor to_rows(const Tensor& q, const GroupedCache& cache) const {
    const int d_k = q.size(2) / heads, shared = heads / groups;
    std::vector<int> all(static_cast<std::size_t>(cache.k.count()));
    std::iota(all.begin(), all.end(), 0);
    const RowLists seen(static_cast<std::size_t>(shared), all);
    const Tensor by_group = split_heads(reshape(q, {1, groups, shared * d_k}), shared);
    const Tensor y = attend_rows(reshape(by_group, {shared, 1, groups * d_k}), cache.k, cache.v,
                                 seen, groups);  // (R, 1, G*Dk)
    return reshape(merge_heads(reshape(y, {1, shared, groups, d_k})), {1, 1, heads * d_k});
  }
};

}  // namespace xf
