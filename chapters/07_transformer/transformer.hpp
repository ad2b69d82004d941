#pragma once

#include "01_embedding/positional_encoding.hpp"
#include "01_embedding/token_embedding.hpp"
#include "05_encoder/encoder.hpp"
#include "06_decoder/decoder.hpp"
#include "07_transformer/config.hpp"
#include "text/vocabulary.hpp"

namespace xf {

// The attention weights of one forward pass, for plots.
struct AttentionMaps {
  std::vector<Tensor> encoder;          // per layer (B, H, S, S)
  std::vector<DecoderWeights> decoder;  // per layer
};

// The encoder-decoder Transformer.                                       Vaswani et al. 2017
//   memory = Encoder(embed(source)),  logits = W_out Decoder(embed(target), memory)
// Id 0 is padding on both sides.
struct Transformer {
  TransformerConfig config;
  TokenEmbedding source_embedding;  // (Vs, D)
  TokenEmbedding target_embedding;  // (Vt, D)
  PositionTable positions;          // of the first 512
  Encoder encoder;
  Decoder decoder;
  Linear output;  // (Vt, D)

  Transformer(const TransformerConfig& settings, Random& random)
      : config(settings),
        source_embedding(settings.source_vocabulary, settings.d_model, random),
        target_embedding(settings.target_vocabulary, settings.d_model, random),
        positions(512, settings.d_model),
        encoder(settings.encoder_layers, layer_sizes(settings), random),
        decoder(settings.decoder_layers, layer_sizes(settings), random),
        output(settings.d_model, settings.target_vocabulary, random, settings.output_bias) {
    if (config.shared_embeddings) source_embedding.weight = target_embedding.weight;
    if (config.tied_output) output.weight = target_embedding.weight;
  }

  // ids: (B, T), at the positions first ... first + T - 1   returns (B, T, D)
  Tensor embed(const TokenEmbedding& table, const Ids& ids, int first = 0) const {
    const Tensor x = config.scale_embeddings ? table(ids) : embedding(ids, table.weight);
    return dropout(x + positions(ids.size(1), first), static_cast<float>(config.dropout));
  }

  // source: (B, S)   returns (B, S, D)
  Tensor encode(const Ids& source, AttentionMaps* maps = nullptr) const {
    return encoder(embed(source_embedding, source), padding_mask(source, pad_id),
                   maps ? &maps->encoder : nullptr);
  }

  // target: (B, T), beginning with <bos>   memory: (B, S, D)   returns logits (B, T, Vt)
  Tensor decode(const Ids& target, const Tensor& memory, const Mask& memory_mask,
                AttentionMaps* maps = nullptr) const {
    const Mask self_mask =
        combine(causal_mask(target.size(1), target.size(1)), padding_mask(target, pad_id));
    const Tensor x = decoder(embed(target_embedding, target), memory, self_mask, memory_mask,
                             maps ? &maps->decoder : nullptr);  // (B, T, D)
    return output(x);                                           // (B, T, Vt)
  }

  // Teacher forcing: logits[b, t] predicts the token after target[b, 0 ... t].
  Tensor operator()(const Ids& source, const Ids& target, AttentionMaps* maps = nullptr) const {
    return decode(target, encode(source, maps), padding_mask(source, pad_id), maps);
  }

  template <class Visitor>
  void visit(Visitor&& v) {
    v("source_embedding", source_embedding);
    v("target_embedding", target_embedding);
    v("encoder", encoder);
    v("decoder", decoder);
    v("output", output);
  }
};

}  // namespace xf
