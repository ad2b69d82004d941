#include "support/transformers.hpp"

#include "ops/cross_entropy/cross_entropy.hpp"

namespace xf::test {

Batch golden_batch(const std::string& model, int i) {
  const auto part = [&](const char* name) {
    return transformer_golden().ids(model + "/" + name + "." + std::to_string(i));
  };
  return {part("source"), part("target"), part("expected")};
}

TransformerConfig golden_config(const std::string& model) {
  TransformerConfig config{.d_model = 12, .d_ff = 20, .heads = 3, .dropout = 0};
  if (model == "post") {
    config.source_vocabulary = 11;
    config.target_vocabulary = 13;
    config.encoder_layers = 2;
  } else if (model == "learned") {
    config.source_vocabulary = 11;
    config.target_vocabulary = 13;
    config.d_model = 8;
    config.d_ff = 12;
    config.heads = 2;
    config.encoder_layers = config.decoder_layers = 1;
    config.activation = Activation::silu;
    config.positions = PositionKind::learned;
  } else {
    config.source_vocabulary = config.target_vocabulary = 14;
    config.decoder_layers = 2;
    config.norm = NormOrder::pre;
    config.activation = Activation::gelu;
    config.shared_embeddings = config.tied_output = true;
    config.output_bias = false;
  }
  return config;
}

Transformer golden_model(const std::string& name) {
  Random random(1);
  Transformer model(golden_config(name), random);
  fill(parameters(model), transformer_golden(), name + "/param/");
  return model;
}

Tensor loss_of(const Transformer& model, const Batch& batch) {
  return cross_entropy_in_place(model(batch.source, batch.target), batch.expected,
                                {.ignore = pad_id, .smoothing = 0.1f});
}

}  // namespace xf::test
