#include <algorithm>
#include <memory>
#include <span>

#include "09_since_2017/program/parameter_files.hpp"
#include "io/utf8.hpp"
#include "ops/shape/shape_ops.hpp"

namespace xf {

namespace {

const Renaming gguf_names = {{"layers.", "blk."},
                             {"feed_forward_norm.", "ffn_norm."},
                             {"attention_norm.", "attn_norm."},
                             {"attention.w_q.", "attn_q."},
                             {"attention.w_k.", "attn_k."},
                             {"attention.w_v.", "attn_v."},
                             {"attention.w_o.", "attn_output."},
                             {"attention.q_norm.", "attn_q_norm."},
                             {"attention.k_norm.", "attn_k_norm."},
                             {"feed_forward.w_gate.", "ffn_gate."},
                             {"feed_forward.w_up.", "ffn_up."},
                             {"feed_forward.w_down.", "ffn_down."},
                             {"final_norm.", "output_norm."},
                             {"tokens", "token_embd.weight"},
                             {"positions", "position_embd.weight"},
                             {"gamma", "weight"},
                             {"beta", "bias"}};

// The parameters of a model from a GGUF file.
class GgufLoader {
 public:
  GgufLoader(const std::string& path, const PublishedConfig& config)
      : weights_(path), config_(config.decoder), family_(config.family) {
    announce(path, weights_);
  }

  Tensor operator()(const std::string& name, const Shape& shape) {
    constexpr const char* parts[] = {".attn_q.", ".attn_k.", ".attn_v."};
    const std::string theirs = renamed(name, gguf_names);
    for (int part = 0; part < 3; ++part) {
      if (theirs.find(parts[part]) == theirs.npos) continue;
      if (family_ == ModelFamily::gpt2) {  // side by side in one matrix
        const std::string all = replaced(theirs, parts[part], ".attn_qkv.");
        Shape whole = shape;
        whole.set(0, 3 * shape[0]);
        return parameter(rows_of(weights_.take(all, whole), part * shape[0], shape));
      }
      if (family_ == ModelFamily::llama && part < 2)
        return parameter(in_order(weights_.take(theirs, shape), config_.d_k));
    }
    return parameter(weights_.take(theirs, shape));
  }

  // The factors that slow down the rotary positions, pair by pair, if the file has them.
  std::vector<float> divisors() {
    const std::string name = "rope_freqs.weight";
    if (!weights_.has(name)) return {};
    return weights_.take(name, {config_.d_k / 2}).values();
  }

  void check_all_taken() { weights_.check_all_taken(); }

 private:
  // A file stores a Llama's rows of queries and keys in the order of the rotated pairs, 0 and d/2,
  // 1 and d/2 + 1, ...; in our heads the first elements of all pairs precede the second ones.
  static Tensor in_order(const Tensor& theirs, int d_k) {
    const auto theirs_at = [d_k](int row) {
      const int head = row / d_k, at = row % d_k, pair = at % (d_k / 2), second = at / (d_k / 2);
      return std::ptrdiff_t{head * d_k + 2 * pair + second};
    };
    if (const StoredRows* from = theirs.stored()) {
      const std::ptrdiff_t width = from->row_bytes();
      const auto bytes = std::make_shared<std::vector<char>>(theirs.size(0) * width);
      for (int row = 0; row < theirs.size(0); ++row)
        std::copy_n(from->first + theirs_at(row) * width, width, bytes->data() + row * width);
      theirs.rest();
      return Tensor::over(theirs.shape(), {from->format, bytes->data(), from->columns}, bytes);
    }
    Tensor ours = Tensor::empty(theirs.shape());
    const Values from = theirs.values();
    const auto width = static_cast<std::ptrdiff_t>(from.size()) / theirs.size(0);
    for (int row = 0; row < theirs.size(0); ++row)
      copy_into(ours,
                std::span(from.data() + theirs_at(row) * width, static_cast<std::size_t>(width)),
                row * width);
    return ours;
  }
  // The rows of `all` from `first` on.
  static Tensor rows_of(const Tensor& all, int first, const Shape& shape) {
    const StoredRows* const stored = all.stored();
    return stored ? Tensor::over(shape, stored->from(first), all.lent())
                  : slice(all, 0, first, shape[0]);
  }

  PublishedWeights weights_;
  const DecoderConfig& config_;
  ModelFamily family_;
};

}  // namespace

PublishedModel load_gguf(const std::string& path) {
  const PublishedConfig config = read_gguf_config(GgufFile::open(path));
  GgufLoader loader(path, config);
  PublishedModel published = loaded(config, loader);
  const std::vector<float> divisors = loader.divisors();
  for (std::size_t i = 0; i < divisors.size(); ++i)
    published.model.rotary.frequencies[i] /= divisors[i];
  loader.check_all_taken();
  return published;
}

}  // namespace xf
