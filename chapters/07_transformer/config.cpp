#include "07_transformer/config.hpp"

namespace xf {

namespace {

[[noreturn]] void refuse(const std::string& field, const std::string& rule) {
  throw UserError(field + ": " + rule);
}

NormOrder norm_order(const std::string& name) {
  if (name == "post") return NormOrder::post;
  if (name == "pre") return NormOrder::pre;
  refuse("norm", "post or pre, not " + name);
}

Activation activation_kind(const std::string& name) {
  if (name == "relu") return Activation::relu;
  if (name == "gelu") return Activation::gelu;
  if (name == "silu") return Activation::silu;
  refuse("activation", "relu, gelu or silu, not " + name);
}

}  // namespace

LayerSizes layer_sizes(const TransformerConfig& c) {
  if (c.d_model < 2 || c.d_model % 2 != 0)
    refuse("d_model", "an even number of at least 2, not " + std::to_string(c.d_model));
  if (c.d_ff < 1) refuse("d_ff", "at least 1, not " + std::to_string(c.d_ff));
  if (c.heads < 1 || c.d_model % c.heads != 0)
    refuse("heads",
           std::to_string(c.heads) + " does not divide d_model " + std::to_string(c.d_model));
  if (c.encoder_layers < 1 || c.decoder_layers < 1)
    refuse("encoder_layers, decoder_layers", "at least 1 each");
  if (!(c.dropout >= 0 && c.dropout < 1)) refuse("dropout", "in [0, 1)");
  if (!(c.norm_eps > 0)) refuse("norm_eps", "must be positive");
  if (c.source_vocabulary < 4 || c.target_vocabulary < 4)
    refuse("source_vocabulary, target_vocabulary", "at least the four special tokens");
  if (c.shared_embeddings && c.source_vocabulary != c.target_vocabulary)
    refuse("shared_embeddings", "the two vocabularies must be one");
  return {.d_model = c.d_model,
          .d_ff = c.d_ff,
          .heads = c.heads,
          .dropout = static_cast<float>(c.dropout),
          .norm = norm_order(c.norm),
          .activation = activation_kind(c.activation),
          .eps = static_cast<float>(c.norm_eps)};
}

}  // namespace xf
