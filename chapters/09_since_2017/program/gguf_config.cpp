#include "09_since_2017/program/published_config.hpp"
#include "io/kinds.hpp"
#include "io/printable.hpp"

namespace xf {

namespace {

ModelFamily family_of(const JsonObject& file) {
  const std::string key = "general.architecture", found = file.text(key);
  using enum ModelFamily;
  for (const ModelFamily family : {gpt2, llama, qwen2, qwen3})  // Mistral's files say llama, too
    if (found == name(family)) return family;
  file.fail(key, words("expected gpt2, llama, qwen2 or qwen3, not {}", shortened(found)));
}

void read_heads(const JsonObject& file, const std::string& prefix, DecoderConfig& c) {
  const std::string heads = prefix + "attention.head_count", groups = heads + "_kv";
  const std::string width = prefix + "embedding_length", key = prefix + "attention.key_length";
  c.heads = file.integer(heads, 1);
  c.key_value_heads = file.integer(groups, 1, c.heads);
  if (c.heads % c.key_value_heads != 0)
    file.fail(groups, words("{} does not divide {} {}", c.key_value_heads, heads, c.heads));
  if (!file.has(key) && c.d_model % c.heads != 0)
    file.fail(heads, words("{} does not divide {} {}", c.heads, width, c.d_model));
  c.d_k = file.integer(key, 1, c.d_model / c.heads);
  if (std::int64_t{c.heads} * c.d_k > 1 << 24) file.fail(heads, "too many heads of this size");
  if (c.d_model > 1 << 24) file.fail(width, words("{} is too large", c.d_model));
}

void read_rotary(const JsonObject& file, const std::string& prefix, DecoderConfig& c) {
  const std::string turned = prefix + "rope.dimension_count", base = prefix + "rope.freq_base";
  if (c.d_k % 2 != 0)
    file.fail(prefix + "attention.head_count",
              words("expected heads of an even size, not of {}", c.d_k));
  if (file.integer(turned, 1, c.d_k) != c.d_k)
    file.fail(turned, words("expected {}, the size of a head", c.d_k));
  c.rotary_base = file.number(base, 10000);
  if (!(c.rotary_base > 0)) file.fail(base, "expected more than 0");
  const std::string type = prefix + "rope.scaling.type", factor = prefix + "rope.scaling.factor";
  const std::string older = prefix + "rope.scale_linear";  // in files of 2023, without a type
  const std::string key = file.has(older) && !file.has(factor) ? older : factor;
  const std::string kind = file.text(type, file.has(key) ? "linear" : "none");
  if (kind == "none") return;
  if (kind != "linear") file.fail(type, words("expected none or linear, not {}", shortened(kind)));
  c.scaling.kind = RotaryScaling::Kind::linear;
  c.scaling.factor = file.number(key);
  if (!(c.scaling.factor > 0)) file.fail(key, "expected more than 0");
}

int rows(const GgufFile& file, const std::string& name) {
  const StoredTensor* found = file.find(name);
  if (!found) throw UserError("{}: {}", file.path(), words("{} is missing", name));
  return found->shape.rank() == 2 ? found->shape[0] : 0;
}

}  // namespace

PublishedConfig read_gguf_config(const GgufFile& file) {
  const JsonObject& settings = file.settings();
  PublishedConfig p{.family = family_of(settings)};
  DecoderConfig& c = p.decoder;
  const bool is_gpt2 = p.family == ModelFamily::gpt2;
  const std::string prefix = name(p.family) + ".", experts = prefix + "expert_count";
  if (settings.integer(experts, 0, 0) > 0)
    settings.fail(experts, "mixtures of experts are not supported");
  c.vocabulary = rows(file, "token_embd.weight");
  c.d_model = settings.integer(prefix + "embedding_length", 1);
  c.d_ff = settings.integer(prefix + "feed_forward_length", 1);
  c.layers = settings.integer(prefix + "block_count", 0);
  p.max_positions = settings.integer(prefix + "context_length", 1);
  read_heads(settings, prefix, c);
  const std::string eps =
      prefix + (is_gpt2 ? "attention.layer_norm_epsilon" : "attention.layer_norm_rms_epsilon");
  c.norm_eps = static_cast<float>(settings.number(eps));
  if (!(c.norm_eps >= 0)) settings.fail(eps, "expected at least 0");
  if (is_gpt2) {
    c.norm = NormKind::layer_norm;
    c.position = DecoderPositions::learned;
    c.positions = p.max_positions = rows(file, "position_embd.weight");
    c.gated = false;
    c.activation = gelu_tanh;
  } else {
    read_rotary(settings, prefix, c);
  }
  const auto has = [&](const char* tensor) { return file.find(tensor) != nullptr; };
  c.qkv_bias = has(is_gpt2 ? "blk.0.attn_qkv.bias" : "blk.0.attn_q.bias");
  c.output_bias = has("blk.0.attn_output.bias");
  c.feed_forward_bias = has("blk.0.ffn_up.bias");
  c.tied = !has("output.weight");
  p.says_tied = true;
  const auto token = [&](const char* key) { return settings.integer(key, 0, -1); };
  p.begin = token("tokenizer.ggml.bos_token_id");
  for (const char* key : {"tokenizer.ggml.eos_token_id", "tokenizer.ggml.eot_token_id"})
    if (token(key) >= 0) p.ends.push_back(token(key));
  return p;
}

}  // namespace xf
