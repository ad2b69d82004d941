#pragma once

#include "01_embedding/positional_encoding.hpp"
#include "01_embedding/token_embedding.hpp"
#include "05_encoder/encoder.hpp"
#include "06_decoder/decoder.hpp"
#include "07_transformer/config.hpp"
#include "text/sentences.hpp"
#include "text/vocabulary.hpp"

namespace xf {

// The keys that the queries may attend to: no padding, no other sentence, and, if causal, no later
// position. Throws std::invalid_argument unless both are side by side or both end to end.
inline Mask mask_of(const Sentences& queries, const Sentences& keys, bool causal = false) {
  if (queries.packed() != keys.packed())
    throw std::invalid_argument("mask_of: sentences side by side and end to end, " +
                                queries.ids.shape().str() + " and " + keys.ids.shape().str());
  if (keys.packed()) return Packing{queries.starts, keys.starts, causal};
  const Mask padding = padding_mask(keys.ids, pad_id);
  return causal ? combine(causal_mask(queries.ids.size(1), keys.ids.size(1)), padding) : padding;
}

// The encoder-decoder Transformer.                                       Vaswani et al. 2017
//   encoded = Encoder(embed(source)),  logits = W_out Decoder(embed(target), encoded)
// Sentences are read side by side, where id 0 is padding, or end to end: (B, T) or (1, N) alike.
struct Transformer {
  TransformerConfig config;
  TokenEmbedding source_embedding;  // (Vs, D)
  TokenEmbedding target_embedding;  // (Vt, D)
  PositionTable positions;          // of the first 512
  Encoder encoder;
  Decoder decoder;
  Linear output;  // (Vt, D)
  // For learned positions (1024, D), one table for both stacks (in published Marian models, one
  // each); otherwise (0, D).
  LearnedPositions source_positions, target_positions;

  Transformer(const TransformerConfig& settings, Random& random)
      : config(settings),
        source_embedding(settings.source_vocabulary, settings.d_model, random,
                         settings.scale_embeddings),
        target_embedding(settings.target_vocabulary, settings.d_model, random,
                         settings.scale_embeddings),
        positions(512, settings.positions == PositionKind::sinusoidal ? settings.d_model : 2),
        encoder(settings.encoder_layers, layer_sizes(settings), random),
        decoder(settings.decoder_layers, layer_sizes(settings), random),
        output(settings.d_model, settings.target_vocabulary, random, settings.output_bias),
        source_positions(learns_positions() ? max_learned_positions : 0, settings.d_model, random),
        target_positions(source_positions) {
    if (config.shared_embeddings) source_embedding.weight = target_embedding.weight;
    if (config.tied_output) output.weight = target_embedding.weight;
  }

  bool learns_positions() const { return config.positions == PositionKind::learned; }

  // Embeds source or target tokens with their table, at their positions.   returns (B, T, D)
  Tensor embed(const TokenEmbedding& table, const Sentences& sentences) const {
    const auto rate = static_cast<float>(config.dropout);
    const Tensor words = table(sentences.ids);
    if (config.positions == PositionKind::none) return dropout(words, rate);
    const std::vector<int> at = sentences.column_positions();
    const auto& learned = &table == &source_embedding ? source_positions : target_positions;
    const Tensor where = learns_positions() ? learned.at(at) : positions(at);
    return dropout(words + where, rate);
  }

  // source: (B, S)   returns (B, S, D)
  Tensor encode(const Sentences& source) const {
    const Scope scope("encoder");
    return encoder(embed(source_embedding, source), mask_of(source, source));
  }

  // target: (B, T), beginning with <bos>   encoded: (B, S, D)   returns logits (B, T, Vt)
  Tensor decode(const Sentences& target, const Tensor& encoded, const Mask& source_mask) const {
    const Scope scope("decoder");
    const Mask self_mask = mask_of(target, target, true);  // causal
    const Tensor x = embed(target_embedding, target);
    return output(decoder(x, encoded, self_mask, source_mask));  // (B, T, Vt)
  }

  // Teacher forcing: logits[b, t] predicts the token after target[b, 0 ... t].
  Tensor operator()(const Sentences& source, const Sentences& target) const {
    return decode(target, encode(source), mask_of(target, source));
  }

  // Starts decoding token by token: what the decoder needs from the source. source: (B, S)
  DecoderCache start(const Sentences& source) const {
    return decoder.start(encode(source), mask_of(source, source));
  }
  // The logits of the next token, after one more token of each sentence.
  //   last: (B, 1), at first <bos>   returns (B, 1, Vt)
  Tensor decode(const Ids& last, DecoderCache& cache) const {
    const Scope scope("decoder");
    const Tensor x = embed(target_embedding, {last, {cache.length()}});  // (B, 1, D)
    return output(decoder(x, cache));                                    // (B, 1, Vt)
  }

  template <class Visitor>
  void visit(Visitor&& v) {
    v("source_embedding", source_embedding);
    v("target_embedding", target_embedding);
    if (learns_positions()) {
      v("learned_positions", source_positions);
      v("target_positions", target_positions);
    }
    v("encoder", encoder);
    v("decoder", decoder);
    v("output", output);
  }
};

}  // namespace xf
