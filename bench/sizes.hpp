#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "07_transformer/config.hpp"

namespace CLI {
class App;
}

namespace xf::bench {

// A model and the batch it works on. The presets are those of torch_mt.py, field by field.
struct Sizes {
  int d_model, d_ff, heads, layers, batch, src_len, tgt_len, src_vocab, tgt_vocab;
  bool tie;  // one matrix for both embeddings and the output projection, which then has no bias
};

struct SizeField {
  const char* name;
  int Sizes::*member;
  const char* help;
};
inline constexpr SizeField size_fields[] = {
    {"d_model", &Sizes::d_model, "width of the model"},
    {"d_ff", &Sizes::d_ff, "width of the feed-forward layer"},
    {"heads", &Sizes::heads, "attention heads; must divide d_model"},
    {"layers", &Sizes::layers, "layers of the encoder, and of the decoder"},
    {"batch", &Sizes::batch, "sentence pairs"},
    {"src_len", &Sizes::src_len, "tokens of a source sentence"},
    {"tgt_len", &Sizes::tgt_len, "target tokens of a sentence, all counted in the loss"},
    {"src_vocab", &Sizes::src_vocab, "entries of the source vocabulary"},
    {"tgt_vocab", &Sizes::tgt_vocab, "entries of the target vocabulary"},
};

// toy, multi30k or base. Throws UserError for another name.
Sizes preset(const std::string& name);

// --preset, and every field as a flag of its own.
class SizeFlags {
 public:
  explicit SizeFlags(CLI::App& app);
  // Throws UserError when the fields contradict each other. With `small`, sizes without a flag are
  // no larger than the emulator needs to run every kernel; heads and layers are the preset's.
  Sizes sizes(bool small = false) const;

 private:
  std::string preset_ = "multi30k";
  Sizes given_{};  // 0: the preset's value
  std::optional<bool> tie_;
};

// Chapter 7's model of these sizes.
TransformerConfig transformer_config(const Sizes& sizes, double dropout);

nlohmann::ordered_json to_json(const Sizes& sizes);

}  // namespace xf::bench
