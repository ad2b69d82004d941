#pragma once

#include <array>

#include "05_encoder/encoder_layer.hpp"
#include "io/config.hpp"
#include "io/config_error.hpp"
#include "text/tokenizer.hpp"

namespace xf {

// How flags and files spell them (io/kinds.hpp).
constexpr std::array<const char*, 2> names_of(NormOrder) { return {"post", "pre"}; }
constexpr std::array<const char*, 3> names_of(FinalNorm) { return {"pre", "always", "never"}; }
constexpr std::array<const char*, 3> names_of(Activation) { return {"relu", "gelu", "silu"}; }

// Sinusoids, or a learned vector for each of the first `max_learned_positions` positions, or
// nothing, which makes a sentence a bag of words.
enum class PositionKind { sinusoidal, learned, none };
constexpr std::array<const char*, 3> names_of(PositionKind) {
  return {"sinusoidal", "learned", "none"};
}
constexpr int max_learned_positions = 1024;  // more than the longest allowed sentence

// Everything that a translation model's shape depends on. Each field is a flag of
// `07_transformer train` and a key of config.json.
struct TransformerConfig {
  int source_vocabulary = 0;  // set from the tokenizers
  int target_vocabulary = 0;
  int d_model = 256;
  int d_ff = 512;
  int heads = 8;
  int encoder_layers = 3;
  int decoder_layers = 3;
  double dropout = 0.1;
  NormOrder norm = NormOrder::post;
  FinalNorm final_norm = FinalNorm::with_pre;
  Activation activation = Activation::relu;
  bool shared_embeddings = false;  // one table for both languages: needs one vocabulary
  bool tied_output = false;        // the output projection shares the target table
  bool output_bias = true;
  bool scale_embeddings = true;  // times sqrt(d_model)
  PositionKind positions = PositionKind::sinusoidal;
  double norm_eps = 1e-5;
  bool source_begins = false;  // with <bos>
  int source_length = 0;       // padded to this with <fill>, the last source token; 0: not padded
  TokenizerKind source_tokenizer = TokenizerKind::word;
  TokenizerKind target_tokenizer = TokenizerKind::word;

  template <class Visitor>
  void visit(Visitor&& v) {
    v("source_vocabulary", source_vocabulary, "entries of the source vocabulary");
    v("target_vocabulary", target_vocabulary, "entries of the target vocabulary");
    v("d_model", d_model, "width of the model");
    v("d_ff", d_ff, "width of the feed-forward layer");
    v("heads", heads, "attention heads; must divide d_model");
    v("encoder_layers", encoder_layers, "layers of the encoder");
    v("decoder_layers", decoder_layers, "layers of the decoder");
    v("dropout", dropout, "dropout rate during training");
    v("norm", norm, "norm order: post or pre");
    v("final_norm", final_norm,
      "norm at the end of each stack: pre (with --norm pre), always or never", Presence::optional);
    v("activation", activation, "feed-forward activation: relu, gelu or silu");
    v("shared_embeddings", shared_embeddings, "one embedding table for both languages");
    v("tied_output", tied_output, "the output projection is the target embedding table");
    v("output_bias", output_bias, "a bias on the output projection");
    v("scale_embeddings", scale_embeddings, "multiply the embeddings by sqrt(d_model)");
    v("positions", positions,
      "how positions are encoded: sinusoidal, learned (a table of 1024 vectors) or none",
      Presence::optional);
    v("norm_eps", norm_eps, "epsilon inside the square root of the layer norm");
    v("source_begins", source_begins, "a source sentence begins with <bos>", Presence::optional);
    v("source_length", source_length,
      "each source is padded to this many tokens with <fill>, which the model sees; 0: not padded",
      Presence::optional);
    v("source_tokenizer", source_tokenizer, "tokens of the source: word, char or bpe");
    v("target_tokenizer", target_tokenizer, "tokens of the target: word, char or bpe");
  }
};

// The sizes of the layers. Throws ConfigError for values that no model can have.
LayerSizes layer_sizes(const TransformerConfig& config);

// The number of parameters in the weight matrices, without biases and gains. A double, because a
// damaged config may ask for more than an integer holds.
double weight_count(const TransformerConfig& config);

}  // namespace xf
