#include "07_transformer/config.hpp"

namespace xf {

namespace {

// Throws UserError with the fields' names as they are spelled where the values came from.
struct Rules {
  std::string (*spelled)(std::string);

  std::string operator()(const std::string& field) const {
    return spelled ? spelled(field) : field;
  }
  [[noreturn]] void refuse(const std::string& field, const std::string& rule) const {
    throw UserError((*this)(field) + ": " + rule);
  }
  void at_least(const std::string& field, int least, int value) const {
    if (value < least)
      refuse(field, "at least " + std::to_string(least) + ", not " + std::to_string(value));
  }

  NormOrder norm_order(const std::string& name) const {
    if (name == "post") return NormOrder::post;
    if (name == "pre") return NormOrder::pre;
    refuse("norm", "post or pre, not " + name);
  }
  Activation activation(const std::string& name) const {
    if (name == "relu") return Activation::relu;
    if (name == "gelu") return Activation::gelu;
    if (name == "silu") return Activation::silu;
    refuse("activation", "relu, gelu or silu, not " + name);
  }
};

}  // namespace

LayerSizes layer_sizes(const TransformerConfig& c, std::string (*spelled)(std::string)) {
  const Rules rules{spelled};
  rules.at_least("d_model", 2, c.d_model);
  if (c.d_model % 2 != 0)
    rules.refuse("d_model", "an even number, not " + std::to_string(c.d_model));
  rules.at_least("d_ff", 1, c.d_ff);
  rules.at_least("heads", 1, c.heads);
  if (c.d_model % c.heads != 0)
    rules.refuse("heads", std::to_string(c.heads) + " does not divide " + rules("d_model") + " " +
                              std::to_string(c.d_model));
  rules.at_least("encoder_layers", 1, c.encoder_layers);
  rules.at_least("decoder_layers", 1, c.decoder_layers);
  if (!(c.dropout >= 0 && c.dropout < 1)) rules.refuse("dropout", "at least 0 and less than 1");
  if (!(c.norm_eps > 0)) rules.refuse("norm_eps", "more than 0");
  rules.at_least("source_vocabulary", 4, c.source_vocabulary);
  rules.at_least("target_vocabulary", 4, c.target_vocabulary);
  if (c.shared_embeddings && c.source_vocabulary != c.target_vocabulary)
    rules.refuse("shared_embeddings", "the two vocabularies must be one");
  return {.d_model = c.d_model,
          .d_ff = c.d_ff,
          .heads = c.heads,
          .dropout = static_cast<float>(c.dropout),
          .norm = rules.norm_order(c.norm),
          .activation = rules.activation(c.activation),
          .eps = static_cast<float>(c.norm_eps)};
}

double weight_count(const TransformerConfig& c) {
  const double d = c.d_model, attention = 4 * d * d, feed_forward = 2 * d * c.d_ff;
  const double tables = (c.shared_embeddings ? 0.0 : c.source_vocabulary) + c.target_vocabulary +
                        (c.tied_output ? 0.0 : c.target_vocabulary);
  return c.encoder_layers * (attention + feed_forward) +
         c.decoder_layers * (2 * attention + feed_forward) + tables * d;
}

}  // namespace xf
