#include "live/translation.hpp"

#include <algorithm>
#include <cmath>

#include "07_transformer/search.hpp"
#include "io/utf8.hpp"
#include "live/base64.hpp"
#include "live/language.hpp"
#include "live/maps.hpp"
#include "live/switches.hpp"
#include "nn/parameters.hpp"
#include "ops/cross_entropy/cross_entropy.hpp"
#include "tensor/portable_math.hpp"
#include "text/batches.hpp"

namespace xf::live {

namespace {

constexpr int shown = 5;  // next tokens of a step

bool may_be_written(int token) { return token != pad_id && token != bos_id && token != unk_id; }

// The likeliest next tokens, best first.   log_p: of the whole vocabulary
Json candidates(const float* log_p, const Tokenizer& tokenizer) {
  std::vector<int> ids;
  for (int id = 0; id < tokenizer.size(); ++id)
    if (may_be_written(id)) ids.push_back(id);
  const auto count = std::min<std::ptrdiff_t>(shown, std::ssize(ids));
  std::partial_sort(ids.begin(), ids.begin() + count, ids.end(), [&](int a, int b) {
    return log_p[a] != log_p[b] ? log_p[a] > log_p[b] : a < b;
  });
  Json list = Json::array();
  for (auto id = ids.begin(); id != ids.begin() + count; ++id)
    list.push_back({{"token", tokenizer.piece(*id)}, {"probability", portable::exp(log_p[*id])}});
  return list;
}

// The words of a sentence as they were typed, or what else its tokens are, and <eos>.
std::vector<std::string> typed(const Tokenizer& tokenizer, const std::string& text,
                               const std::vector<int>& ids) {
  std::vector<std::string> names;
  if (tokenizer.kind() == TokenizerKind::word)
    for (const std::string_view word : split_words(text)) names.emplace_back(word);
  else
    for (std::size_t i = 0; i + 1 < ids.size(); ++i) names.push_back(tokenizer.piece(ids[i]));
  names.push_back(tokenizer.piece(eos_id));
  return names;
}

std::vector<std::string> named(const Tokenizer& tokenizer, const std::vector<int>& ids) {
  std::vector<std::string> names;
  for (const int id : ids) names.push_back(tokenizer.piece(id));
  return names;
}

// A translation, with <eos> where it ended, and the candidates of each of its steps.
struct Writing {
  std::vector<int> written = {};
  std::vector<Json> steps = {};

  // What is read before each of the tokens comes: <bos>, and all but the last.
  std::vector<int> read() const {
    std::vector<int> before = {bos_id};
    before.insert(before.end(), written.begin(), written.end() - 1);
    return before;
  }
};

// One pass over the source and the prefix of a translation.   returns logits (1, T, Vt)
// Without the mask, every position of the prefix sees the whole of it.
Tensor logits(const Transformer& model, const Sentences& source, const std::vector<int>& prefix,
              bool masked) {
  const Sentences target(Ids({1, static_cast<int>(prefix.size())}, prefix));
  if (masked) return model(source, target);
  const Tensor memory = model.encode(source);
  const Scope scope("decoder");
  const Tensor x = model.embed(model.target_embedding, target);
  return model.output(model.decoder(x, memory, {}, mask_of(target, source)));
}

// What the search finds, and with what probabilities.
Writing searched(const Transformer& model, const Ids& source, int beam,
                 const Tokenizer& tokenizer) {
  const SearchOptions options{.beam = beam};
  Writing found{.written = translate(model, source, options).front().tokens};
  const int limit = 2 * source.size(1) + options.extra_length;
  if (std::ssize(found.written) < limit) found.written.push_back(eos_id);
  const Values log_p = log_softmax(logits(model, source, found.read(), true)).values();
  for (std::ptrdiff_t i = 0; i < std::ssize(found.written); ++i)
    found.steps.push_back(candidates(log_p.begin() + i * tokenizer.size(), tokenizer));
  return found;
}

// Greedy search by a decoder without a mask: nothing that it has computed stays, for with each word
// all words before it see one word more.
Writing written_unmasked(const Transformer& model, const Ids& source, const Tokenizer& tokenizer) {
  Writing writing;
  std::vector<int> read = {bos_id};
  const int limit = 2 * source.size(1) + SearchOptions{}.extra_length;
  while (read.back() != eos_id && std::ssize(writing.written) < limit) {
    const Values log_p = log_softmax(logits(model, source, read, false)).values();
    const float* last = log_p.end() - tokenizer.size();
    writing.steps.push_back(candidates(last, tokenizer));
    int best = eos_id;
    for (int id = 0; id < tokenizer.size(); ++id)
      if (may_be_written(id) && last[id] > last[best]) best = id;
    writing.written.push_back(best);
    read.push_back(best);
  }
  return writing;
}

}  // namespace

Translator load(Fields& request) {
  std::map<std::string, std::string> files = {{"config.json", request.text("config")}};
  const std::optional<std::string> weights = bytes_of_base64(request.text("weights_base64"));
  if (!weights) request.fail("\"weights_base64\" is not base64");
  files["model.safetensors"] = *weights;
  Fields vocabulary = request.object("vocabulary");
  for (const std::string& name : vocabulary.keys()) files[name] = vocabulary.text(name.c_str());
  request.done();
  return parse_translator(files);
}

Json description(const Translator& translator) {
  const TransformerConfig& c = translator.model.config;
  Transformer model = translator.model;
  return {{"kind", "translator"},
          {"layers", {c.encoder_layers, c.decoder_layers}},
          {"heads", c.heads},
          {"d_model", c.d_model},
          {"d_ff", c.d_ff},
          {"norm", c.norm == NormOrder::pre ? "pre" : "post"},
          {"parameters", parameter_count(parameters(model))},
          {"vocabulary_size", {c.source_vocabulary, c.target_vocabulary}},
          {"maximum_length", most_tokens - 1}};
}

Json translation(const Translator& translator, Fields& request) {
  const std::string text = request.text("text");
  const int beam = request.integer("beam", 1, 100, 1);
  const Switches switches = Switches::read(request.object("switches"), translator.model.config);
  request.done();
  if (split_words(text).empty()) request.fail("\"text\" has no words");
  const std::vector<int> ids = translator.encode_source(text);
  if (ids.size() > most_tokens)
    request.fail("\"text\" has " + std::to_string(ids.size() - 1) + " tokens, " +
                 std::to_string(most_tokens - 1) + " are the most");
  if (!switches.mask && beam > 1) request.fail("without the mask, \"beam\" is 1");

  const Tokenizer& tokenizer = translator.target_tokenizer;
  const Transformer model = switched(translator.model, switches);
  const Ids source({1, static_cast<int>(ids.size())}, ids);
  const Writing writing = switches.mask ? searched(model, source, beam, tokenizer)
                                        : written_unmasked(model, source, tokenizer);
  std::vector<int> unknown;
  for (std::size_t i = 0; i < ids.size(); ++i)
    if (ids[i] == unk_id) unknown.push_back(static_cast<int>(i));
  Json steps = Json::array();
  for (const Json& step : writing.steps) steps.push_back({{"candidates", step}});
  Recorder recorder({"weights"});
  logits(model, source, writing.read(), switches.mask);
  return {{"source", typed(translator.source_tokenizer, text, ids)},
          {"read", named(tokenizer, writing.read())},
          {"target", named(tokenizer, writing.written)},
          {"text", tokenizer.decode(writing.written)},
          {"unknown", unknown},
          {"steps", steps},
          {"maps",
           {{"encoder", maps(recorder, "encoder.layers.*.self_attention")},
            {"decoder", maps(recorder, "decoder.layers.*.self_attention")},
            {"cross", maps(recorder, "decoder.layers.*.cross_attention")}}}};
}

Json vocabulary(const Translator& translator, Fields& request) {
  constexpr int sentences = 6;
  Json answer;
  if (request.has("after")) answer["next"] = next_words(request.text("after"));
  request.done();
  const auto words = [](const Tokenizer& tokenizer) {
    std::vector<std::string> list;
    for (int id = special_count; id < tokenizer.size(); ++id) list.push_back(tokenizer.piece(id));
    return list;
  };
  if (!answer.is_null()) return answer;
  return {{"source", words(translator.source_tokenizer)},
          {"target", words(translator.target_tokenizer)},
          {"sentences", example_sentences(translator.source_tokenizer, sentences)}};
}

}  // namespace xf::live
