#include "07_transformer/config.hpp"

namespace xf {

LayerSizes layer_sizes(const TransformerConfig& c) {
  require_least("d_model", 2, c.d_model);
  if (c.d_model % 2 != 0 && c.positions == PositionKind::sinusoidal)
    throw ConfigError("d_model", "must be an even number, not {}", c.d_model);
  require_least("d_ff", 1, c.d_ff);
  require_least("heads", 1, c.heads);
  if (c.d_model % c.heads != 0)
    throw ConfigError("heads", "{} does not divide {} {}", c.heads, OtherField{"d_model"},
                      c.d_model);
  require_least("encoder_layers", 1, c.encoder_layers);
  require_least("decoder_layers", 1, c.decoder_layers);
  require_share("dropout", c.dropout);
  require_positive("norm_eps", c.norm_eps);
  require_least("source_vocabulary", special_count, c.source_vocabulary);
  require_least("target_vocabulary", special_count, c.target_vocabulary);
  require_least("source_length", 0, c.source_length);
  if (c.source_length > max_learned_positions)
    throw ConfigError("source_length", "must be at most {}", max_learned_positions);
  if (c.shared_embeddings && c.source_vocabulary != c.target_vocabulary)
    throw ConfigError("shared_embeddings", "the two vocabularies must be the same");
  return {.d_model = c.d_model,
          .d_ff = c.d_ff,
          .heads = c.heads,
          .dropout = static_cast<float>(c.dropout),
          .norm = c.norm,
          .activation = c.activation,
          .eps = static_cast<float>(c.norm_eps),
          .final_norm = c.final_norm};
}

double weight_count(const TransformerConfig& c) {
  const double d = c.d_model, attention = 4 * d * d, feed_forward = 2 * d * c.d_ff;
  const double tables = (c.shared_embeddings ? 0.0 : c.source_vocabulary) + c.target_vocabulary +
                        (c.tied_output ? 0.0 : c.target_vocabulary);
  const double learned = c.positions == PositionKind::learned ? d * max_learned_positions : 0;
  return learned + c.encoder_layers * (attention + feed_forward) +
         c.decoder_layers * (2 * attention + feed_forward) + tables * d;
}

}  // namespace xf
