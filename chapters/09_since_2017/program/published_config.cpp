#include "09_since_2017/program/published_config.hpp"

#include <algorithm>
#include <map>

#include "io/files.hpp"
#include "io/kinds.hpp"
#include "io/printable.hpp"

namespace xf {

namespace {

void read_activation(const JsonObject& file, const std::string& key, const std::string& usual,
                     DecoderConfig& c) {
  static const std::map<std::string, Tensor (*)(const Tensor&)> known = {
      {"gelu", gelu},           {"gelu_new", gelu_tanh}, {"gelu_pytorch_tanh", gelu_tanh},
      {"gelu_fast", gelu_tanh}, {"relu", relu},          {"silu", silu},
      {"swish", silu},          {"tanh", tanh}};
  const std::string name = file.text(key, usual);
  const auto found = known.find(name);
  if (found == known.end())
    file.fail(key, words("expected gelu, gelu_new, gelu_pytorch_tanh, gelu_fast, relu, silu, swish "
                         "or tanh, not {}",
                         shortened(name)));
  c.activation = found->second;
}

// Refuses sizes whose products overflow.
void check_sizes(const JsonObject& file, const DecoderConfig& c, const std::string& heads_key,
                 const std::string& width_key) {
  if (std::int64_t{c.heads} * c.d_k > 1 << 24) file.fail(heads_key, "too many heads of this size");
  if (c.d_model > 1 << 24) file.fail(width_key, words("{} is too large", c.d_model));
}

void read_gpt2(const JsonObject& file, PublishedConfig& p) {
  DecoderConfig& c = p.decoder;
  c.d_model = file.integer("n_embd", 1);
  c.layers = file.integer("n_layer", 0);
  c.heads = c.key_value_heads = file.integer("n_head", 1);
  if (c.d_model % c.heads != 0)
    file.fail("n_head", words("{} does not divide {} {}", c.heads, "n_embd", c.d_model));
  c.d_k = c.d_model / c.heads;
  check_sizes(file, c, "n_head", "n_embd");
  c.d_ff = file.integer("n_inner", 1, 4 * c.d_model);
  c.positions = p.max_positions = file.integer("n_positions", 1);
  c.norm = NormKind::layer_norm;
  c.position = DecoderPositions::learned;
  c.gated = false;
  c.qkv_bias = c.output_bias = c.feed_forward_bias = true;
  c.norm_eps = static_cast<float>(file.number("layer_norm_epsilon", 1e-5));
  c.divides_by_root = file.flag("scale_attn_weights", true);
  c.divides_by_layer = file.flag("scale_attn_by_inverse_layer_idx", false);
  if (file.flag("add_cross_attention", false))
    file.fail("add_cross_attention",
              "true is not supported: expected a decoder without an encoder");
  read_activation(file, "activation_function", "gelu_new", c);
  c.tied = file.flag("tie_word_embeddings", true);
}

void read_scaling(const JsonObject& rope, RotaryScaling& scaling) {
  using Kind = RotaryScaling::Kind;
  const std::string key = rope.has("rope_type") || !rope.has("type") ? "rope_type" : "type";
  const std::string type = rope.text(key, "default");
  if (type == "default") return;
  if (type != "linear" && type != "llama3")
    rope.fail(key, words("expected default, linear or llama3, not {}", shortened(type)));
  scaling.kind = type == "linear" ? Kind::linear : Kind::llama3;
  scaling.factor = rope.number("factor");
  if (!(scaling.factor > 0)) rope.fail("factor", "expected more than 0");
  if (scaling.kind == Kind::linear) return;
  scaling.low_frequency = rope.number("low_freq_factor");
  scaling.high_frequency = rope.number("high_freq_factor");
  if (!(scaling.high_frequency > scaling.low_frequency))
    rope.fail("high_freq_factor", "expected more than low_freq_factor");
  scaling.original_length = rope.integer("original_max_position_embeddings", 1);
}

// What both objects say about positions must agree; `rope_type` was formerly `type`.
void check_same_rope(const JsonObject& file, const char* newer, const char* older) {
  const JsonObject a = file.object(newer), b = file.object(older);
  for (const auto& [key, value] : b.json().items()) {
    const bool renamed = key == "type" && !a.has("type");
    const nlohmann::json* theirs = a.find(renamed ? "rope_type" : key);
    const nlohmann::json* ours = b.find(key);
    if (ours && (!theirs || *ours != *theirs))
      b.fail(key, words("{}, but {} has {}", shortened(ours->dump()), std::string(newer),
                        theirs ? Phrase(shortened(theirs->dump())) : "no such key"));
  }
  if (a.has("rope_theta") && file.has("rope_theta") &&
      a.number("rope_theta") != file.number("rope_theta"))
    file.fail("rope_theta", words("differs from the one in {}", std::string(newer)));
}

void read_rotary(const JsonObject& file, DecoderConfig& c) {
  // The key was renamed, and the newer one contains the base as well. Files may have both.
  const char* newer = "rope_parameters";
  const char* older = "rope_scaling";
  const auto rope = file.object_if_any(file.has(newer) ? newer : older);
  if (file.has(newer) && file.has(older)) check_same_rope(file, newer, older);
  const JsonObject& base = rope && rope->has("rope_theta") ? *rope : file;
  c.rotary_base = base.number("rope_theta", 10000);
  if (!(c.rotary_base > 0)) base.fail("rope_theta", "expected more than 0");
  if (rope && rope->number("partial_rotary_factor", 1) != 1)
    rope->fail("partial_rotary_factor", "expected 1");
  if (rope) read_scaling(*rope, c.scaling);
}

// The longest text for which a layer's attention window makes no difference. Layers with a window
// are listed, or are all from max_window_layers on; in Mistral all layers have one.
int window(const JsonObject& file, ModelFamily family, int layers) {
  const std::string window = "sliding_window";
  if (family == ModelFamily::mistral && !file.json().contains(window)) return 4096;  // usually
  if (family == ModelFamily::mistral) return file.integer(window, 1, 0);
  if (!file.flag("use_sliding_window", false) || !file.has("sliding_window")) return 0;
  const std::string key = "layer_types";
  const nlohmann::json* types = file.find(key);
  if (types && !types->is_array()) file.fail(key, "expected a list [...]");
  const bool slides = types ? std::count(types->begin(), types->end(), "sliding_attention") > 0
                            : file.integer("max_window_layers", 0, 28) < layers;
  return slides ? file.integer("sliding_window", 1) : 0;
}

void read_llama(const JsonObject& file, PublishedConfig& p) {
  DecoderConfig& c = p.decoder;
  const bool qwen = p.family == ModelFamily::qwen2;
  c.d_model = file.integer("hidden_size", 1);
  c.d_ff = file.integer("intermediate_size", 1);
  c.layers = file.integer("num_hidden_layers", 0);
  c.heads = file.integer("num_attention_heads", 1);
  c.key_value_heads = file.integer("num_key_value_heads", 1, c.heads);
  if (c.heads % c.key_value_heads != 0)
    file.fail("num_key_value_heads",
              words("{} does not divide {} {}", c.key_value_heads, "num_attention_heads", c.heads));
  if (!file.has("head_dim") && p.family != ModelFamily::qwen3 && c.d_model % c.heads != 0)
    file.fail("num_attention_heads",
              words("{} does not divide {} {}", c.heads, "hidden_size", c.d_model));
  c.d_k = file.integer("head_dim", 1, p.family == ModelFamily::qwen3 ? 128 : c.d_model / c.heads);
  if (c.d_k % 2 != 0) file.fail("head_dim", words("expected an even number, not {}", c.d_k));
  check_sizes(file, c, "num_attention_heads", "hidden_size");
  c.norm_eps = static_cast<float>(file.number("rms_norm_eps", 1e-6));
  c.qkv_bias = qwen || file.flag("attention_bias", false);
  c.output_bias = !qwen && c.qkv_bias;
  c.feed_forward_bias = !qwen && file.flag("mlp_bias", false);
  read_activation(file, "hidden_act", "silu", c);
  read_rotary(file, c);
  p.max_positions = file.integer("max_position_embeddings", 1, 0);
  if (const int reach = window(file, p.family, c.layers); reach > 0)
    p.max_positions = p.max_positions > 0 ? std::min(p.max_positions, reach) : reach;
  c.tied = file.flag("tie_word_embeddings", false);
}

}  // namespace

ModelFamily model_family(const JsonObject& config) {
  ModelFamily family = {};
  if (const Phrase problem = KindField(&family).take(config.text("model_type")); !problem.empty())
    config.fail("model_type", problem);
  return family;
}

PublishedConfig read_published_config(const std::string& directory) {
  const JsonObject file = JsonObject::read(directory + "/config.json", JsonObject::settings);
  PublishedConfig p{.family = model_family(file)};
  p.decoder.vocabulary = file.integer("vocab_size", 1);
  p.family == ModelFamily::gpt2 ? read_gpt2(file, p) : read_llama(file, p);
  if (!(p.decoder.norm_eps >= 0))
    file.fail(p.family == ModelFamily::gpt2 ? "layer_norm_epsilon" : "rms_norm_eps",
              "expected at least 0");
  p.says_tied = file.has("tie_word_embeddings");
  if (file.has("bos_token_id")) p.begin = file.integer("bos_token_id", 0);
  p.ends = file.integers("eos_token_id");
  const std::string path = directory + "/generation_config.json";
  if (exists(path)) p.ends = JsonObject::read(path, JsonObject::settings).integers("eos_token_id");
  return p;
}

}  // namespace xf
