#pragma once

#include <algorithm>

#include "07_transformer/transformer.hpp"
#include "ops/shape/shape_ops.hpp"
#include "text/packed_batch.hpp"

namespace xf {

// Training without padding: the sentences of a batch lie end to end in one row of N tokens. All
// layers but attention work on each position alone and never notice; attention is told by its mask
// where the sentences are. The logits are those of model(source, target), without the padded rows.

// ids: (1, N)   returns (1, N, D), each sentence's positions counted from 0
inline Tensor embed_packed(const Transformer& model, const TokenEmbedding& table,
                           const PackedIds& sentences) {
  std::vector<int> positions;
  for (std::size_t i = 0; i + 1 < sentences.starts.size(); ++i)
    for (int t = 0; t < sentences.starts[i + 1] - sentences.starts[i]; ++t) positions.push_back(t);
  const int longest = 1 + *std::max_element(positions.begin(), positions.end());
  const Ids& ids = sentences.ids;
  const bool scaled = model.config.scale_embeddings;
  const Tensor x = scaled ? table(ids) : embedding(ids, table.weight);       // (1, N, D)
  const Tensor encoding = gather_rows(model.positions(longest), positions);  // (N, D)
  return dropout(x + encoding, static_cast<float>(model.config.dropout));
}

// Which keys the queries of packed sentences may attend to: those of their own sentence.
inline Mask packed_mask(const PackedIds& queries, const PackedIds& keys, bool causal) {
  return Packing{queries.starts, keys.starts, causal};
}

// Teacher forcing.   source: (1, M)   target: (1, N)   returns logits (1, N, Vt)
inline Tensor packed_logits(const Transformer& model, const PackedIds& source,
                            const PackedIds& target) {
  const Tensor memory = model.encoder(embed_packed(model, model.source_embedding, source),
                                      packed_mask(source, source, false));  // (1, M, D)
  const Tensor x = model.decoder(embed_packed(model, model.target_embedding, target), memory,
                                 packed_mask(target, target, true),
                                 packed_mask(target, source, false));  // (1, N, D)
  return model.output(x);
}

}  // namespace xf
