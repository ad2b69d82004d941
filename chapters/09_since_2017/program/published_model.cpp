#include "09_since_2017/program/published_model.hpp"

#include <algorithm>
#include <cmath>
#include <iostream>

#include "09_since_2017/program/parameter_files.hpp"
#include "09_since_2017/rms_norm.hpp"
#include "io/files.hpp"
#include "io/free_memory.hpp"
#include "ops/shape/shape_ops.hpp"

namespace xf {

namespace {

const Renaming llama_names = {{"layers.", "model.layers."},
                              {"feed_forward_norm.", "post_attention_layernorm."},
                              {"attention_norm.", "input_layernorm."},
                              {"attention.w_q.", "self_attn.q_proj."},
                              {"attention.w_k.", "self_attn.k_proj."},
                              {"attention.w_v.", "self_attn.v_proj."},
                              {"attention.w_o.", "self_attn.o_proj."},
                              {"attention.q_norm.", "self_attn.q_norm."},
                              {"attention.k_norm.", "self_attn.k_norm."},
                              {"feed_forward.w_gate.", "mlp.gate_proj."},
                              {"feed_forward.w_up.", "mlp.up_proj."},
                              {"feed_forward.w_down.", "mlp.down_proj."},
                              {"final_norm.", "model.norm."},
                              {"output.", "lm_head."},
                              {"tokens", "model.embed_tokens.weight"},
                              {"gamma", "weight"}};
const Renaming gpt2_names = {{"layers.", "h."},
                             {"feed_forward_norm.", "ln_2."},
                             {"attention_norm.", "ln_1."},
                             {"attention.w_q.", "attn.c_attn."},
                             {"attention.w_k.", "attn.c_attn."},
                             {"attention.w_v.", "attn.c_attn."},
                             {"attention.w_o.", "attn.c_proj."},
                             {"feed_forward.w_up.", "mlp.c_fc."},
                             {"feed_forward.w_down.", "mlp.c_proj."},
                             {"final_norm.", "ln_f."},
                             {"output.", "lm_head."},
                             {"tokens", "wte.weight"},
                             {"positions", "wpe.weight"},
                             {"gamma", "weight"},
                             {"beta", "bias"}};

// What a file may contain besides the parameters: masks and tables of the code that wrote it, and
// the output matrix of a model that is tied to the embedding.
bool is_no_parameter(const std::string& name, bool tied) {
  return name.ends_with(".attn.bias") || name.ends_with(".attn.masked_bias") ||
         name.ends_with("rotary_emb.inv_freq") || (tied && name.ends_with("lm_head.weight"));
}

// The parameters of a model from the files of one of the families.
class Loader {
 public:
  Loader(const std::string& directory, const PublishedConfig& config)
      : weights_(directory), config_(config.decoder), is_gpt2_(config.family == ModelFamily::gpt2) {
    announce(directory, weights_);
    const auto prefixed = [](const std::string& name) { return name.starts_with("transformer."); };
    const std::vector<std::string> names = weights_.names();
    if (is_gpt2_ && std::any_of(names.begin(), names.end(), prefixed)) prefix_ = "transformer.";
  }

  bool has_output() const { return weights_.has("lm_head.weight"); }

  Tensor operator()(const std::string& name, const Shape& shape) {
    const std::string theirs = renamed(name, is_gpt2_ ? gpt2_names : llama_names);
    std::string full = theirs.starts_with("lm_head") ? theirs : prefix_ + theirs;
    // One table for both ends may be stored under either name.
    if (name == "tokens" && config_.tied && has_output() && !weights_.has(full))
      full = "lm_head.weight";
    return is_gpt2_ && name.starts_with("layers.") && name.find("norm") == name.npos
               ? of_gpt2(name, full, shape)
               : parameter(weights_.take(full, shape));
  }

  // Throws UserError naming the first tensor that is unknown to the model.
  void check_all_taken() {
    for (const std::string& name : weights_.names())
      if (is_no_parameter(name, config_.tied)) weights_.leave({name});
    weights_.check_all_taken();
  }

 private:
  // GPT-2 stores its matrices as (in, out), with queries, keys and values side by side in one.
  Tensor of_gpt2(const std::string& name, const std::string& full, const Shape& shape) {
    const bool matrix = shape.rank() == 2;
    const int out = shape[0];
    constexpr const char* parts[] = {".w_q.", ".w_k.", ".w_v."};
    for (int part = 0; part < 3; ++part) {
      if (name.find(parts[part]) == name.npos) continue;
      const Tensor all = weights_.take(full, matrix ? Shape{shape[1], 3 * out} : Shape{3 * out});
      const Tensor mine = slice(all, -1, part * out, out);
      return parameter(matrix ? transpose(mine) : mine);
    }
    return parameter(matrix ? transpose(weights_.take(full, {shape[1], out}))
                            : weights_.take(full, shape));
  }

  PublishedWeights weights_;
  const DecoderConfig& config_;
  bool is_gpt2_;
  std::string prefix_;
};

}  // namespace

void announce(const std::string& path, const PublishedWeights& weights) {
  const double bytes = weights.memory();
  check_memory(path, bytes);
  if (bytes > 1 << 28) std::cerr << "reading " << std::lround(bytes / (1 << 20)) << " MiB\n";
}

void add_head_norms(DecoderOnly& model, const ParameterSource& source) {
  const DecoderConfig& c = model.config;
  // x: (B, T, N*Dk), N heads side by side   returns the shape of x
  const auto each_head = [](const RmsNorm& norm, const Tensor& x) {
    const int d_k = norm.gamma.size(0);
    return reshape(norm(reshape(x, {x.size(0), x.size(1), x.size(2) / d_k, d_k})), x.shape());
  };
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    const std::string name = "layers." + std::to_string(i) + ".attention.";
    const RmsNorm of_q{source(name + "q_norm.gamma", {c.d_k}), c.norm_eps};
    const RmsNorm of_k{source(name + "k_norm.gamma", {c.d_k}), c.norm_eps};
    model.layers[i].attention.before_turning = [=](Tensor& q, Tensor& k) {
      q = each_head(of_q, q), k = each_head(of_k, k);
    };
  }
}

PublishedModel load_published_model(const std::string& path) {
  if (const std::string file = GgufFile::of_model(path); !file.empty()) return load_gguf(file);
  PublishedConfig config = read_published_config(path);
  Loader loader(path, config);
  if (!config.says_tied && !loader.has_output()) config.decoder.tied = true;
  PublishedModel published = loaded(config, loader);
  loader.check_all_taken();
  return published;
}

PublishedTokenizer load_published_tokenizer(const std::string& model) {
  if (const std::string file = GgufFile::of_model(model); !file.empty())
    return PublishedTokenizer::of(GgufFile::open(file));
  const std::string path = model + "/config.json";
  const bool alone = !exists(path);  // a tokenizer without a model splits like GPT-2's
  switch (alone ? ModelFamily::gpt2 : model_family(JsonObject::read(path, JsonObject::settings))) {
    case ModelFamily::gpt2:
      return PublishedTokenizer::load(model, {{.cut = {CutRule::Kind::gpt2}}});
    case ModelFamily::qwen2:
    case ModelFamily::qwen3:
      return PublishedTokenizer::load(model,
                                      {{.cut = {CutRule::Kind::llama, 1}, .composes = true}});
    case ModelFamily::llama:
    case ModelFamily::mistral:
      break;
  }
  // These families have tokenizers of several kinds, and vocab.json does not say which.
  return PublishedTokenizer::load(model, {});
}

PublishedTokenizer load_published_tokenizer(const std::string& path,
                                            const PublishedModel& published) {
  PublishedTokenizer tokenizer = load_published_tokenizer(path);
  if (const int known = published.model.config.vocabulary; tokenizer.size() > known)
    throw UserError("{}: the tokenizer has the id {}, but the vocab_size of config.json is {}",
                    path, tokenizer.size() - 1, known);
  return tokenizer;
}

}  // namespace xf
