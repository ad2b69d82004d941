#pragma once

#include "02_attention/multi_head_attention.hpp"
#include "ops/attention/attend_rows.hpp"

namespace xf {

// What attention remembers from one decoding step to the next, for all layers of a stack: the keys
// and values of the positions read so far (earlier ones, or the source's), as rows of D numbers
// with the heads side by side. No step moves a row; each sentence has a list of the rows that it
// may attend to, the same in every layer.
struct KeyValueCache {
  struct Rows {
    GrowingRows k, v;  // (N, D) each
  };
  std::vector<Rows> layers;
  RowLists seen;   // a list for each sentence
  int listed = 0;  // how many rows have been appended to the lists

  // One layer of the cache.
  struct Layer {
    KeyValueCache* cache;
    std::size_t number;

    const Rows& rows() const { return cache->layers[number]; }
    const RowLists& seen() const { return cache->seen; }
    // Appends a new position of each sentence, visible to it from now on. k, v: (B, 1, D)
    void append(const Tensor& k, const Tensor& v) const {
      Rows& rows = cache->layers[number];
      if (rows.k.count() == cache->listed)  // the first layer to reach this position
        for (std::vector<int>& list : cache->seen) list.push_back(cache->listed++);
      rows.k.append(k);
      rows.v.append(v);
    }
  };
  Layer operator[](std::size_t i) { return {this, i}; }

  // The number of rows in each layer, and its capacity.
  int row_count() const { return layers.empty() ? 0 : layers[0].k.count(); }
  int room() const { return layers.empty() ? 0 : layers[0].k.room(); }

  // Starts with empty layers that have room for this many rows of D numbers.
  void make_room(int rows, int d_model) {
    for (Rows& layer : layers) layer = {{rows, d_model}, {rows, d_model}};
  }

  // Sentence b continues the previous sentence parents[b], which may be chosen more than once, as
  // beam search needs. Only the lists are copied.
  void select(const std::vector<int>& parents) {
    RowLists chosen;
    for (int parent : parents) chosen.push_back(seen.at(static_cast<std::size_t>(parent)));
    seen = std::move(chosen);
  }

  // Removes the rows that no sentence may attend to any more: those of discarded prefixes and of
  // finished sentences. Returns how many are left.
  int drop_unseen() {
    std::vector<int> place(static_cast<std::size_t>(row_count()), -1), kept;
    for (const std::vector<int>& rows : seen)
      for (int row : rows) place[static_cast<std::size_t>(row)] = 0;
    for (std::size_t row = 0; row < place.size(); ++row)
      if (place[row] == 0) {
        place[row] = static_cast<int>(kept.size());
        kept.push_back(static_cast<int>(row));
      }
    for (std::vector<int>& rows : seen)
      for (int& row : rows) row = place[static_cast<std::size_t>(row)];
    for (Rows& layer : layers) {
      layer.k.keep(kept);
      layer.v.keep(kept);
    }
    listed = static_cast<int>(kept.size());
    return listed;
  }
};

// Attention in each head over the rows in a layer's cache. Nothing is copied, and no mask is
// needed, because each sentence's list says what it may see.
//   q: (B, 1, D), a query for each sentence   returns (B, 1, D)
inline Tensor attend(const Tensor& q, const KeyValueCache::Layer& to, int heads) {
  return attend_rows(q, to.rows().k, to.rows().v, to.seen(), heads);
}

// Self-attention of a new position of each sentence; its keys and values are appended to the cache.
//   x: (B, 1, D)   returns (B, 1, D)
inline Tensor attend_to_past(const MultiHeadAttention& attention, const Tensor& x,
                             const KeyValueCache::Layer& past) {
  const auto [q, k, v] = attention.projections(x, x);  // (B, 1, D) each
  past.append(k, v);
  return attention.w_o(attend(q, past, attention.heads));
}
// Cross attention of the same to keys and values projected only once.   returns (B, 1, D)
inline Tensor attend_to_source(const MultiHeadAttention& attention, const Tensor& x,
                               const KeyValueCache::Layer& source) {
  return attention.w_o(attend(attention.w_q(x), source, attention.heads));
}

}  // namespace xf
