#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "07_transformer/config.hpp"
#include "io/numbers.hpp"

namespace xf {

enum class ModelKind { transformer_xl, vanilla, recurrent_vanilla, lstm };
constexpr std::array<const char*, 4> names_of(ModelKind) {
  return {"transformer_xl", "vanilla", "recurrent_vanilla", "lstm"};
}

// Which projections the output shares with the input (narrow_words.hpp): none, those of the
// clusters but not the head's, as in the published training on WikiText-103, or all.
enum class TiedProjections { none, clusters, all };
constexpr std::array<const char*, 3> names_of(TiedProjections) {
  return {"none", "clusters", "all"};
}

// Everything that a language model's shape depends on. Each field is a flag of
// `08_transformer_xl train` and a key of config.json. segment, memory, extended and same_length
// change no parameter: a trained model may be evaluated with others.
//   transformer_xl     memory and relative positions
//   vanilla            neither: the model before it (baselines/vanilla.hpp)
//   recurrent_vanilla  memory with absolute positions, which does not work: for `ablation`
//   lstm               no attention, one state of fixed size a layer (baselines/lstm.hpp)
struct TransformerXlConfig {
  ModelKind kind = ModelKind::transformer_xl;
  int vocabulary = 0;  // set from the tokenizer
  int d_model = 128;
  int d_ff = 512;
  int heads = 4;
  int d_head = 0;
  int layers = 4;
  int segment = 64;
  int memory = 64;
  int extended = 0;
  bool same_length = false;
  int clamp = 0;
  bool untie = false;
  bool tied = true;
  double dropout = 0.1;
  double attention_dropout = 0.1;
  NormOrder norm = NormOrder::post;
  FinalNorm final_norm = FinalNorm::with_pre;
  Activation activation = Activation::relu;
  double norm_eps = 1e-5;
  std::string cutoffs = "";
  int d_embed = 0;
  int div_val = 1;
  TiedProjections tied_projections = TiedProjections::none;
  TokenizerKind level = TokenizerKind::character;

  int head_size() const { return d_head > 0 ? d_head : d_model / heads; }  // Dk

  template <class Visitor>
  void visit(Visitor&& v) {
    v("kind", kind, "model: transformer_xl, vanilla, recurrent_vanilla or lstm");
    v("vocabulary", vocabulary, "entries of the vocabulary");
    v("d_model", d_model, "width of the model");
    v("d_ff", d_ff, "width of the feed-forward layer");
    v("heads", heads, "attention heads; must divide d_model");
    v("d_head", d_head, "width of a head; 0: d_model / heads", Presence::optional);
    v("layers", layers, "layers");
    v("segment", segment, "new tokens per segment");
    v("memory", memory, "states remembered from earlier segments, per layer");
    v("extended", extended, "tokens at the end of a segment that are read again with the next");
    v("same_length", same_length, "every query sees the same number of keys");
    v("clamp", clamp, "clamp longer distances to this; 0: no limit");
    v("untie", untie, "each layer has its own u and v");
    v("tied", tied, "the output projection is the embedding table");
    v("dropout", dropout, "dropout rate during training");
    v("attention_dropout", attention_dropout, "dropout rate of the attention weights");
    v("norm", norm, "norm order: post or pre");
    v("final_norm", final_norm,
      "norm at the end of the stack: pre (with --norm pre), always or never", Presence::optional);
    v("activation", activation, "feed-forward activation: relu, gelu or silu");
    v("norm_eps", norm_eps, "epsilon inside the square root of the layer norm");
    v("cutoffs", cutoffs, "adaptive softmax: where its clusters begin, e.g. 2000,10000");
    v("d_embed", d_embed, "width of the word vectors; 0: d_model", Presence::optional);
    v("div_val", div_val, "the word vectors of each further cluster are narrower by this factor",
      Presence::optional);
    v("tied_projections", tied_projections,
      "which output projections are shared with the input: none, clusters or all",
      Presence::optional);
    v("level", level, "tokens of the text: char, word or bpe");
  }
};

// "2000,10000" as numbers. None for "". Throws ConfigError unless
// 0 < 2000 < 10000 < vocabulary.
inline std::vector<int> cutoff_list(const std::string& text, int vocabulary) {
  if (text.empty()) return {};
  const auto list = integers_in(text);
  if (!list || list->front() <= 0 || list->back() >= vocabulary ||
      std::adjacent_find(list->begin(), list->end(), std::greater_equal{}) != list->end())
    throw ConfigError("cutoffs",
                      "expected increasing numbers between 0 and the vocabulary size {}, not {}",
                      vocabulary, text);
  return *list;
}

// The width of the word vectors, in the head and in each cluster: D, or with the published code's
// d_embed and div_val   d_embed, d_embed / div_val, d_embed / div_val^2 ...   rounded down. Throws
// ConfigError where that is 0.
inline std::vector<int> word_widths(const TransformerXlConfig& c) {
  require_least("d_embed", 0, c.d_embed);
  require_least("div_val", 1, c.div_val);
  std::vector<int> widths{c.d_embed > 0 ? c.d_embed : c.d_model};
  for (std::size_t i = cutoff_list(c.cutoffs, c.vocabulary).size(); i > 0; --i)
    widths.push_back(widths.back() / c.div_val);
  if (widths.back() == 0)
    throw ConfigError("div_val", "dividing {} {} leaves no dimension for the last cluster",
                      OtherField{"d_embed"}, widths[0]);
  return widths;
}
// Whether words are projected to the width of the model.
inline bool has_projections(const TransformerXlConfig& c) {
  return c.div_val > 1 || word_widths(c)[0] != c.d_model;
}

// The sizes of the layers. Throws ConfigError for values that no model can have.
inline LayerSizes layer_sizes(const TransformerXlConfig& c) {
  require_least("vocabulary", special_count, c.vocabulary);
  require_least("layers", 1, c.layers);
  require_least("segment", 1, c.segment);
  require_least("memory", 0, c.memory);
  require_least("extended", 0, c.extended);
  require_least("clamp", 0, c.clamp);
  if (c.same_length && c.memory == 0)
    throw ConfigError("memory", "must be at least 1 with {}, not 0", OtherField{"same_length"});
  require_share("attention_dropout", c.attention_dropout);
  require_least("d_head", 0, c.d_head);
  require_least("heads", 1, c.heads);
  // The rest is as in chapter 7, where heads share the width of the model.
  LayerSizes sizes = layer_sizes(TransformerConfig{.source_vocabulary = c.vocabulary,
                                                   .target_vocabulary = c.vocabulary,
                                                   .d_model = c.d_model,
                                                   .d_ff = c.d_ff,
                                                   .heads = c.d_head > 0 ? 1 : c.heads,
                                                   .dropout = c.dropout,
                                                   .norm = c.norm,
                                                   .final_norm = c.final_norm,
                                                   .activation = c.activation,
                                                   .norm_eps = c.norm_eps});
  sizes.heads = c.heads;
  return sizes;
}

// Throws ConfigError for a field that the kind does not use.
inline void check_kind(const TransformerXlConfig& c) {
  if (c.kind == ModelKind::transformer_xl) return;
  const auto refuse = [&](bool wrong, const char* field, const char* why) {
    if (wrong) throw ConfigError(field, "a model of kind {} has no {}", name(c.kind), why);
  };
  const bool remembers = c.kind == ModelKind::recurrent_vanilla;
  refuse(!remembers && c.memory > 0, "memory", "memory; it must be 0");
  refuse(c.kind == ModelKind::lstm && c.extended > 0, "extended", "tokens that are read again");
  refuse(c.same_length, "same_length", "such mask");
  refuse(c.clamp > 0, "clamp", "distances");
  refuse(c.untie, "untie", "u and v");
  refuse(c.d_head > 0, "d_head", "heads of another width");
}

// Returns the config after checking it: the first thing that a model does with it.
inline const TransformerXlConfig& checked(const TransformerXlConfig& c) {
  layer_sizes(c);
  check_kind(c);
  word_widths(c);
  if (!has_projections(c) && c.tied_projections != TiedProjections::none)
    throw ConfigError("tied_projections", "without {} or div_val there are no projections",
                      OtherField{"d_embed"});
  return c;
}

}  // namespace xf
