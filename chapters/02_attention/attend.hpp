#pragma once

#include <variant>

#include "02_attention/attention.hpp"
#include "02_attention/key_value_cache.hpp"
#include "ops/attention/packed_attention.hpp"
#include "ops/heads/heads.hpp"

namespace xf {

// The keys and values of S positions, heads side by side.
struct KeysValues {
  Tensor k, v;  // (B, S, D) each
};

// What queries attend to, and where its keys and values are: nowhere yet, they are projected from
// its states; in two tensors; or in the rows of a cache, which those of the states join first.
struct Keys {
  Tensor states;               // (B, S, D), or undefined: nothing is to be projected
  KeysValues projected;        // or undefined
  KeyValueCache::Layer cache;  // or nothing

  Keys(const Tensor& x) : states(x) {}
  Keys(const KeysValues& given) : projected(given) {}
  Keys(const Tensor& k, const Tensor& v) : projected{k, v} {}
  Keys(KeyValueCache::Layer before) : cache(before) {}
  Keys(const Tensor& x, KeyValueCache::Layer before) : states(x), cache(before) {}
};

struct AttendOptions {
  int heads = 1;
  Mask mask = {};     // (B|1, T|1, S), or of packed sentences; not for a cache, whose lists say it
  float dropout = 0;  // of the weights, while a Training is alive
};

// Attention in each of the heads, which are columns of q, K and V: merge(attention(split(q),
// split(k), split(v))). Among packed sentences, (1, N, D), no weight between two of them is
// computed; for rows of a cache nothing is copied.
//   q: (B, T, D), for a cache (B, 1, D)   returns (B, T, D)
inline Tensor attend(const Tensor& q, const Keys& keys, const AttendOptions& options) {
  const int heads = options.heads;
  if (keys.cache)
    return attend_rows(q, keys.cache.rows().k, keys.cache.rows().v, keys.cache.seen(), heads);
  const auto& [k, v] = keys.projected;
  if (const Packing* packing = options.mask.packing())
    return packed_attention(q, k, v, *packing, heads, options.dropout);
  const Tensor q_heads = split_heads(q, heads);  // (B, H, T, Dk)
  const Tensor k_heads = split_heads(k, heads);  // (B, H, S, Dk)
  const Tensor v_heads = split_heads(v, heads);
  return merge_heads(attention(q_heads, k_heads, v_heads, options.mask, options.dropout));
}

}  // namespace xf
