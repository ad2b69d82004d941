#include "05_encoder/program/sentence_encoder.hpp"

#include <algorithm>
#include <cmath>

#include "io/files.hpp"
#include "io/free_memory.hpp"
#include "io/json_object.hpp"
#include "io/printable.hpp"
#include "io/published_weights.hpp"
#include "io/utf8.hpp"
#include "ops/matmul/matmul.hpp"
#include "text/text_steps.hpp"

namespace xf {

namespace {

const Renaming bert_names = {{"encoder.layers.", "encoder.layer."},
                             {"words.", "embeddings.word_embeddings."},
                             {"positions.", "embeddings.position_embeddings."},
                             {"kinds.", "embeddings.token_type_embeddings."},
                             {"input_norm.", "embeddings.LayerNorm."},
                             {"self_attention_norm.", "attention.output.LayerNorm."},
                             {"feed_forward_norm.", "output.LayerNorm."},
                             {"self_attention.w_q.", "attention.self.query."},
                             {"self_attention.w_k.", "attention.self.key."},
                             {"self_attention.w_v.", "attention.self.value."},
                             {"self_attention.w_o.", "attention.output.dense."},
                             {"feed_forward.w_1.", "intermediate.dense."},
                             {"feed_forward.w_2.", "output.dense."},
                             {"gamma", "weight"},
                             {"beta", "bias"}};

Activation activation(const JsonObject& file) {
  const std::string key = "hidden_act", name = file.text(key, "gelu");
  if (name == "relu") return Activation::relu;
  if (name == "gelu") return Activation::gelu;
  if (name == "swish" || name == "silu") return Activation::silu;
  file.fail(key, words("expected relu, gelu, swish or silu, not {}", shortened(name)));
}

// Checks how a sentence's states become one vector, if the directory says so.
void check_pooling(const std::string& path) {
  if (!exists(path)) return;
  const JsonObject file = JsonObject::read(path, JsonObject::settings);
  const std::string key = "pooling_mode", flag = "pooling_mode_mean_tokens";
  if (const std::string mode = file.text(key, "mean"); mode != "mean")
    file.fail(key, words("expected mean, not {}", shortened(mode)));
  if (!file.flag(flag, true)) file.fail(flag, "expected true: the mean over the tokens");
  for (const char* other :
       {"pooling_mode_cls_token", "pooling_mode_max_tokens", "pooling_mode_mean_sqrt_len_tokens",
        "pooling_mode_weightedmean_tokens", "pooling_mode_lasttoken"})
    if (file.flag(other, false)) file.fail(other, "expected false: the mean over the tokens alone");
}

// Checks that nothing else happens to the states, such as the Dense layer of some models.
void check_modules(const std::string& path) {
  if (!exists(path)) return;
  const std::string list = JsonObject::content(path, JsonObject::settings);
  const JsonObject file = JsonObject::parse("{\"modules\": " + list + "}", path);
  for (const JsonObject& module : objects_of(file, "modules")) {
    const std::string type = module.text("type"), kind = type.substr(type.rfind('.') + 1);
    if (kind != "Transformer" && kind != "Pooling" && kind != "Normalize")
      module.fail("type",
                  words("expected Transformer, Pooling or Normalize, not {}", shortened(kind)));
  }
}

// The model that config.json describes; its parameters are not filled in yet.
SentenceEncoder described(const JsonObject& file) {
  if (const std::string type = file.text("model_type"); type != "bert")
    file.fail("model_type", words("expected an encoder of type bert, not {}", shortened(type)));
  const std::string positions = "position_embedding_type";
  if (const std::string kind = file.text(positions, "absolute"); kind != "absolute")
    file.fail(positions, words("expected absolute, not {}", shortened(kind)));
  if (file.flag("is_decoder", false)) file.fail("is_decoder", "expected false");
  const LayerSizes sizes = {.d_model = file.integer("hidden_size", 1),
                            .d_ff = file.integer("intermediate_size", 1),
                            .heads = file.integer("num_attention_heads", 1),
                            .activation = activation(file),
                            .eps = static_cast<float>(file.number("layer_norm_eps", 1e-12))};
  constexpr int too_large = 1 << 24;
  if (sizes.d_model > too_large || sizes.d_ff > too_large)
    file.fail(sizes.d_model > too_large ? "hidden_size" : "intermediate_size", "too large");
  if (sizes.d_model % sizes.heads != 0)
    file.fail("num_attention_heads",
              words("{} does not divide {} {}", sizes.heads, "hidden_size", sizes.d_model));
  if (!(sizes.eps >= 0)) file.fail("layer_norm_eps", "expected at least 0");
  const int words = file.integer("vocab_size", 1), kinds = file.integer("type_vocab_size", 1, 2),
            longest = file.integer("max_position_embeddings", 1, 512),
            layers = file.integer("num_hidden_layers", 1);
  const double width = sizes.d_model, tables = double(words) + longest + kinds;
  check_memory(file.path(), 4 * width * (tables + layers * (4 * width + 2.0 * sizes.d_ff)));
  Random random = Random::none();
  return {TokenEmbedding(words, sizes.d_model, random, false),
          LearnedPositions(longest, sizes.d_model, random),
          TokenEmbedding(kinds, sizes.d_model, random, false), LayerNorm(sizes.d_model, sizes.eps),
          Encoder(layers, sizes, random)};
}

void fill(SentenceEncoder& model, const std::string& directory) {
  PublishedWeights weights(directory);
  const bool inner = weights.has("bert.embeddings.word_embeddings.weight");
  for (const NamedParameter& parameter : parameters(model)) {
    std::string name = (inner ? "bert." : "") + renamed(parameter.name, bert_names);
    if (!weights.has(name)) {  // older files use the paper's letters for norms
      const std::string older = replaced(replaced(name, "LayerNorm.weight", "LayerNorm.gamma"),
                                         "LayerNorm.bias", "LayerNorm.beta");
      if (weights.has(older)) name = older;
    }
    *parameter.tensor = xf::parameter(weights.take(name, parameter.tensor->shape()));
  }
  for (const std::string& name : weights.names())  // layers on top of the encoder, and position ids
    if (name.starts_with("cls.") || name.find("pooler.") != name.npos ||
        name.ends_with("embeddings.position_ids"))
      weights.leave({name});
  weights.check_all_taken();
}

}  // namespace

PublishedEncoder PublishedEncoder::load(const std::string& directory) {
  const JsonObject config = JsonObject::read(directory + "/config.json", JsonObject::settings);
  check_modules(directory + "/modules.json");
  check_pooling(directory + "/1_Pooling/config.json");
  PublishedEncoder published{described(config), PublishedTokenizer::load(directory, {}),
                             config.integer("pad_token_id", 0, 0)};
  const int entries = published.model.words.weight.size(0);
  if (published.tokenizer.size() > entries)
    config.fail("vocab_size", words("{}, but the tokenizer has the id {}", entries,
                                    published.tokenizer.size() - 1));
  if (published.padding >= entries) config.fail("pad_token_id", "must be below vocab_size");
  fill(published.model, directory);
  return published;
}

std::vector<int> PublishedEncoder::tokens(const std::string& text, const std::string& given) const {
  check_utf8(text, given);
  std::vector<int> ids = tokenizer.encode(text);
  const int most = model.positions.weight.size(0);
  if (ids.empty()) throw UserError("{}: no tokens", given);
  if (std::ssize(ids) > most)
    throw UserError("{}: {} tokens, but the model has only {} positions", given, ids.size(), most);
  return ids;
}

Tensor PublishedEncoder::states(const std::vector<std::vector<int>>& sentences) const {
  std::size_t longest = 0;
  for (const std::vector<int>& sentence : sentences) longest = std::max(longest, sentence.size());
  const int rows = static_cast<int>(sentences.size()), columns = static_cast<int>(longest);
  Ids ids = Ids::full({rows, columns}, padding), mask = Ids::full({rows, 1, columns}, 0);
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    const auto row = static_cast<std::ptrdiff_t>(i * longest);
    std::copy(sentences[i].begin(), sentences[i].end(), ids.begin() + row);
    std::fill_n(mask.begin() + row, sentences[i].size(), 1);
  }
  return model(ids, mask);
}

Tensor mean_directions(const Tensor& states, const std::vector<Stretch>& stretches) {
  const int rows = states.size(0), columns = states.size(1), width = states.size(2);
  std::vector<float> shares(static_cast<std::size_t>(rows) * columns);
  for (std::size_t i = 0; i < stretches.size(); ++i) {
    const auto [begin, end] = stretches[i];
    std::fill(shares.begin() + std::ptrdiff_t(i) * columns + begin,
              shares.begin() + std::ptrdiff_t(i) * columns + end, 1.0f / float(end - begin));
  }
  const Tensor mean = matmul(Tensor::from({rows, 1, columns}, shares), states);  // (B, 1, D)
  const Values numbers = mean.values();
  std::vector<float> factors;
  for (int row = 0; row < rows; ++row) {
    double square = 0;
    for (int i = 0; i < width; ++i)
      square += double(numbers[row * width + i]) * double(numbers[row * width + i]);
    factors.push_back(static_cast<float>(1 / std::max(std::sqrt(square), 1e-12)));
  }
  return scale_rows(reshape(mean, {rows, width}), Tensor::from({rows}, factors));
}

}  // namespace xf
