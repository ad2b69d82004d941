#include "07_transformer/program/marian.hpp"

#include <algorithm>
#include <cmath>

#include "07_transformer/program/marian_search.hpp"
#include "io/files.hpp"
#include "io/json_object.hpp"
#include "io/published_weights.hpp"
#include "tensor/portable_math.hpp"
#include "text/marian_pieces.hpp"

namespace xf {

namespace {

constexpr float never_chosen = -1e9f;  // the logit of our <pad>

// The value of two keys that must agree, because our model has one such size for both stacks.
int both(const JsonObject& file, const char* encoder, const char* decoder, int unsaid) {
  const int size = file.integer(encoder, 1, unsaid);
  if (const int other = file.integer(decoder, 1, unsaid); other != size)
    file.fail(decoder, words("{}, but {} is {}", other, encoder, size));
  return size;
}

Activation activation(const JsonObject& file) {
  const std::string key = "activation_function", name = file.text(key, "gelu");
  if (name == "relu") return Activation::relu;
  if (name == "gelu") return Activation::gelu;
  if (name == "swish" || name == "silu") return Activation::silu;
  file.fail(key, words("expected relu, gelu, swish or silu, not {}", name));
}

void check_token(const JsonObject& file, const char* key, const MarianVocabulary& vocabulary,
                 int id, int unsaid) {
  const std::vector<int> said = file.integers(key);
  if (said.size() > 1 || (said.empty() ? unsaid : said[0]) != vocabulary.published(id))
    file.fail(key, words("must be {}, the id of {} in the vocabulary", vocabulary.published(id),
                         std::string(vocabulary.piece(id))));
}

using Order = std::vector<int>;  // Order[i]: the index that moves to place i

// `to` becomes x with its rows and columns reordered; an empty order leaves them unchanged. Copies
// a few rows at a time, so that memory never holds a second table of x's size.
void copy_reordered(Tensor& to, const Tensor& x, const Order& rows, const Order& columns) {
  const int width = x.size(-1), height = x.rank() == 1 ? 1 : x.size(0);
  const auto count = [](const Order& order, int all) {
    return order.empty() ? all : static_cast<int>(order.size());
  };
  const auto place = [](const Order& order, int i) {
    return order.empty() ? i : order[static_cast<std::size_t>(i)];
  };
  constexpr std::size_t at_a_time = 1 << 16;
  const int new_height = count(rows, height), new_width = count(columns, width);
  const Values from = x.values();
  std::vector<float> some;
  std::ptrdiff_t copied = 0;
  for (int r = 0; r < new_height; ++r) {
    const float* row = from.begin() + std::ptrdiff_t(place(rows, r)) * width;
    for (int c = 0; c < new_width; ++c) some.push_back(row[place(columns, c)]);
    if (some.size() < at_a_time && r + 1 < new_height) continue;
    copy_into(to, some, copied);
    copied += std::ssize(some);
    some.clear();
  }
}

// The published sinusoids: all sines, then all cosines.   returns (positions, width)
std::vector<float> sinusoids(int positions, int width) {
  const int sines = (width + 1) / 2;
  std::vector<float> table;
  for (int position = 0; position < positions; ++position)
    for (int i = 0; i < width; ++i) {
      const int pair = i < sines ? i : i - sines;
      const double angle = position / portable::pow(10000, 2.0 * pair / width);
      table.push_back(static_cast<float>(i < sines ? portable::sin(angle) : portable::cos(angle)));
    }
  return table;
}

// The position table of one side: the file's, or the sinusoids.
std::vector<float> position_table(PublishedWeights& weights, const std::string& side, int positions,
                                  int width) {
  const std::string name = "model." + side + ".embed_positions.weight";
  if (!weights.has(name)) return sinusoids(positions, width);
  return weights.take(name, {positions, width}).values();
}

// Whether either position table was learned. Older files also store sinusoidal tables, so the
// presence of a table is not enough: its values are compared.
bool learned_positions(PublishedWeights& weights, int positions, int width) {
  constexpr float rounding = 1.0f / 256;  // of bfloat16
  const std::vector<float> computed = sinusoids(positions, width);
  const auto close = [](float a, float b) { return std::abs(a - b) <= rounding; };
  for (const char* side : {"encoder", "decoder"}) {
    const std::vector<float> table = position_table(weights, side, positions, width);
    if (!std::equal(table.begin(), table.end(), computed.begin(), close)) return true;
  }
  return false;
}

// Fills a model with the published weights.
class Importer {
 public:
  Importer(PublishedWeights& weights, Transformer& model, const MarianVocabulary& source,
           const MarianVocabulary& target)
      : weights_(weights), model_(model), width_(model.config.d_model) {
    if (model.config.positions == PositionKind::sinusoidal)
      for (int i = 0; i < width_; ++i) wide_.push_back(i / 2 + i % 2 * (width_ / 2));
    const auto rows = [](const MarianVocabulary& vocabulary) {
      Order order;
      for (int id = 0; id < vocabulary.size(); ++id) order.push_back(vocabulary.published(id));
      return order;
    };
    source_rows_ = rows(source);
    target_rows_ = rows(target);
  }

  void run() {
    tables();
    for (std::size_t i = 0; i < model_.encoder.layers.size(); ++i) {
      EncoderLayer& layer = model_.encoder.layers[i];
      const std::string name = "model.encoder.layers." + std::to_string(i) + ".";
      attention(name + "self_attn", layer.self_attention, layer.self_attention_norm);
      feed_forward(name, layer.feed_forward, layer.feed_forward_norm);
    }
    for (std::size_t i = 0; i < model_.decoder.layers.size(); ++i) {
      DecoderLayer& layer = model_.decoder.layers[i];
      const std::string name = "model.decoder.layers." + std::to_string(i) + ".";
      attention(name + "self_attn", layer.self_attention, layer.self_attention_norm);
      attention(name + "encoder_attn", layer.cross_attention, layer.cross_attention_norm);
      feed_forward(name, layer.feed_forward, layer.feed_forward_norm);
    }
  }

 private:
  void fill(Tensor& to, const std::string& name, const Shape& shape, const Order& rows,
            const Order& columns) {
    copy_reordered(to, weights_.take(name, shape), rows, columns);
    weights_.drop(name);
  }

  void tables() {
    const std::string shared = "model.shared.weight", output = "lm_head.weight";
    const std::string encoder = "model.encoder.embed_tokens.weight";
    const std::string decoder = "model.decoder.embed_tokens.weight";
    const auto first_of = [&](std::initializer_list<std::string> names) {
      for (const std::string& name : names)
        if (weights_.has(name)) return name;
      return *names.begin();
    };
    const auto table = [&](Tensor& to, const std::string& name, const Order& rows) {
      fill(to, name, {static_cast<int>(rows.size()) - 1, width_}, rows, wide_);
    };
    const TransformerConfig& c = model_.config;
    const auto target = c.shared_embeddings ? first_of({shared, decoder, encoder, output})
                        : c.tied_output     ? first_of({decoder, output, shared})
                                            : first_of({decoder, shared});
    table(model_.target_embedding.weight, target, target_rows_);
    if (!c.shared_embeddings)
      table(model_.source_embedding.weight, first_of({encoder, shared}), source_rows_);
    if (!c.tied_output) table(model_.output.weight, output, target_rows_);
    weights_.leave({shared, encoder, decoder, output});

    const int target_size = static_cast<int>(target_rows_.size()) - 1;
    if (weights_.has("final_logits_bias")) {
      const Tensor bias = weights_.take("final_logits_bias", {1, target_size});
      copy_reordered(model_.output.bias, bias, {}, target_rows_);
    }
    copy_into(model_.output.bias, {never_chosen}, pad_id);
  }

  void linear(const std::string& name, Linear& layer, const Order& rows, const Order& columns) {
    fill(layer.weight, name + ".weight", layer.weight.shape(), rows, columns);
    fill(layer.bias, name + ".bias", layer.bias.shape(), {}, rows);
  }
  void norm(const std::string& name, LayerNorm& layer) {
    fill(layer.gamma, name + ".weight", {width_}, {}, wide_);
    fill(layer.beta, name + ".bias", {width_}, {}, wide_);
  }
  void attention(const std::string& name, MultiHeadAttention& layer, LayerNorm& after) {
    linear(name + ".q_proj", layer.w_q, {}, wide_);
    linear(name + ".k_proj", layer.w_k, {}, wide_);
    linear(name + ".v_proj", layer.w_v, {}, wide_);
    linear(name + ".out_proj", layer.w_o, wide_, {});
    norm(name + "_layer_norm", after);
  }
  void feed_forward(const std::string& name, FeedForward& layer, LayerNorm& after) {
    linear(name + "fc1", layer.w_1, {}, wide_);
    linear(name + "fc2", layer.w_2, wide_, {});
    norm(name + "final_layer_norm", after);
  }

  PublishedWeights& weights_;
  Transformer& model_;
  int width_;
  Order wide_, source_rows_, target_rows_;
};

// What config.json says, with the sizes of the vocabularies.
TransformerConfig described(const JsonObject& file, const MarianVocabulary& source,
                            const MarianVocabulary& target) {
  constexpr int layers = 12, feed_forward = 4096, heads = 16, width = 1024;  // default
  TransformerConfig c;
  c.source_vocabulary = source.size();
  c.target_vocabulary = target.size();
  c.source_tokenizer = c.target_tokenizer = TokenizerKind::bpe;
  c.d_model = file.integer("d_model", 2, width);
  c.d_ff = both(file, "encoder_ffn_dim", "decoder_ffn_dim", feed_forward);
  c.heads = both(file, "encoder_attention_heads", "decoder_attention_heads", heads);
  if (c.d_model % c.heads != 0)
    file.fail("encoder_attention_heads",
              words("{} does not divide {} {}", c.heads, "d_model", c.d_model));
  c.encoder_layers = file.integer("encoder_layers", 1, layers);
  c.decoder_layers = file.integer("decoder_layers", 1, layers);
  c.activation = activation(file);
  c.scale_embeddings = file.flag("scale_embedding", false);
  c.tied_output = file.flag("tie_word_embeddings", true);
  c.shared_embeddings = c.tied_output && file.flag("share_encoder_decoder_embeddings", true);
  c.dropout = file.number("dropout", 0.1);
  if (!(c.dropout >= 0 && c.dropout < 1)) file.fail("dropout", "must be at least 0 and below 1");
  return c;
}

// The vocabulary of one side. The config must name the same special tokens and at least as many
// pieces as the file has: more if tokens were added.
MarianVocabulary vocabulary(const JsonObject& config, const std::string& path, const char* key,
                            int unsaid, const std::vector<AddedToken>& beside) {
  MarianVocabulary found = MarianVocabulary::read(path);
  const int size = config.integer(key, 1, unsaid);
  if (size < found.size() - 1)
    config.fail(key, words("{}, but {} has {} pieces", size, path, found.size() - 1));
  constexpr int max_added = 1 << 20;
  if (size - found.size() > max_added) config.fail(key, words("{} is too large", size));
  found.enlarge(size, beside);
  constexpr int end = 0, start = 58100;  // default
  check_token(config, "eos_token_id", found, eos_id, end);
  check_token(config, "pad_token_id", found, bos_id, start);
  check_token(config, "decoder_start_token_id", found, bos_id, start);
  return found;
}

Tokenizer tokenizer(const std::string& model, const std::string& speaker,
                    const MarianVocabulary& vocabulary) {
  return Tokenizer::of(
      MarianPieces::parse(read_file(model), model, read_file(speaker), speaker, vocabulary));
}

}  // namespace

bool is_published(const std::string& directory) {
  return read_file(config_path(directory)).find("\"model_type\"") != std::string::npos;
}

Translator load_marian(const std::string& directory) {
  const JsonObject config = JsonObject::read(config_path(directory), JsonObject::settings);
  if (const std::string type = config.text("model_type"); type != "marian")
    config.fail("model_type", words("chapter 7 runs models of type marian, not {}", type));
  const std::string common = directory + "/vocab.json", own = directory + "/target_vocab.json";
  constexpr int pieces = 58101;  // default
  const int size = config.integer("vocab_size", 1, pieces);
  const std::vector<AddedToken> beside = read_tokens_beside(directory);
  const MarianVocabulary source = vocabulary(config, common, "vocab_size", pieces, beside);
  // A separate target vocabulary has no ids for tokens added to the source's.
  const MarianVocabulary target =
      exists(own) ? vocabulary(config, own, "decoder_vocab_size", size, {})
                  : vocabulary(config, common, "decoder_vocab_size", size, beside);
  if (!exists(own) && target.size() != source.size())
    config.fail("decoder_vocab_size",
                words("{}, but vocab_size is {}", target.size() - 1, source.size() - 1));
  TransformerConfig described_model = described(config, source, target);
  if (described_model.shared_embeddings && exists(own))
    config.fail("share_encoder_decoder_embeddings", "true, but there is a target_vocab.json");
  PublishedWeights weights(directory);
  check_size(config_path(directory), weights.path(), weights.memory() / 2,
             weight_count(described_model) / 2);

  const int positions = config.integer("max_position_embeddings", 2, max_learned_positions);
  if (positions > max_learned_positions)
    config.fail("max_position_embeddings",
                words("must be at most {} positions, not {}", max_learned_positions, positions));
  const int width = described_model.d_model;
  const bool learned = width % 2 != 0 || learned_positions(weights, positions, width);
  if (learned) described_model.positions = PositionKind::learned;
  const std::string source_spm = directory + "/source.spm", target_spm = directory + "/target.spm";
  // With one vocabulary, transformers joins the pieces of both languages using source.spm.
  Tokenizer from = tokenizer(source_spm, source_spm, source);
  Tokenizer to = tokenizer(target_spm, exists(own) ? target_spm : source_spm, target);
  Random random = Random::none();
  Translator translator{std::move(from), std::move(to), Transformer(described_model, random)};
  Importer(weights, translator.model, source, target).run();
  if (learned) {  // separately in each stack
    Transformer& model = translator.model;
    model.target_positions.weight = model.source_positions.weight.clone();
    copy_into(model.source_positions.weight, position_table(weights, "encoder", positions, width));
    copy_into(model.target_positions.weight, position_table(weights, "decoder", positions, width));
  }
  weights.check_all_taken();
  auto [search, rules] = marian_search(directory, target);
  search.max_length = std::min(search.max_length, positions);
  translator.search = search;
  translator.rules = std::make_shared<MarianRules>(rules);
  translator.max_tokens = std::min(max_sentence_tokens, static_cast<std::size_t>(positions) - 1);
  return translator;
}

}  // namespace xf
