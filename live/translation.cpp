#include "live/translation.hpp"

#include <algorithm>
#include <cmath>

#include "07_transformer/search.hpp"
#include "io/base64.hpp"
#include "io/utf8.hpp"
#include "live/language.hpp"
#include "live/maps.hpp"
#include "live/switches.hpp"
#include "nn/parameters.hpp"
#include "ops/cross_entropy/cross_entropy.hpp"
#include "ops/shape/shape_ops.hpp"
#include "tensor/error.hpp"
#include "text/batches.hpp"

namespace xf::live {

namespace {

// The words of a sentence as typed, or else its subword tokens, and <eos>.
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

// The decoder's input for a translation: <bos>, and all tokens but the last.
std::vector<int> read_before(const std::vector<int>& written) {
  std::vector<int> read = {bos_id};
  read.insert(read.end(), written.begin(), written.end() - 1);
  return read;
}

// log p of all tokens after each prefix of `read`.   returns one (1, T, V); without a causal mask,
// where each prefix has to be computed on its own, T of (1, 1, V)
std::vector<Tensor> log_probabilities(const SwitchedModel& model, const Ids& source,
                                      const std::vector<int>& read) {
  const auto after = [&](std::size_t length) {
    const std::vector<int> prefix(read.begin(), read.begin() + static_cast<std::ptrdiff_t>(length));
    return log_softmax(model(source, Ids({1, static_cast<int>(length)}, prefix)));
  };
  if (model.mask) return {after(read.size())};
  std::vector<Tensor> rows;
  for (std::size_t length = 1; length <= read.size(); ++length)
    rows.push_back(slice(after(length), 1, static_cast<int>(length) - 1, 1));
  return rows;
}

// A user's model may have weights that are finite but too large.
void check_finite(const Tensor& log_p) {
  const Values values = log_p.values();
  if (!std::all_of(values.begin(), values.end(), [](float x) { return std::isfinite(x); }))
    throw UserError("the model's output is not finite for this sentence");
}

// The likeliest tokens at each step of a translation.
Json steps_of(const SwitchedModel& model, const Ids& source, const std::vector<int>& read,
              const WritingOptions& how, const Tokenizer& tokenizer) {
  Json steps = Json::array();
  for (const Tensor& log_p : log_probabilities(model, source, read)) {
    check_finite(log_p);
    for (int t = 0; t < log_p.size(1); ++t)
      steps.push_back({{"candidates", candidates(slice(log_p, 1, t, 1), how, tokenizer)}});
  }
  return steps;
}

// The three kinds of attention in the model, each [[matrix per head] per layer].
Json of_each_kind(const Recorder& recorder, const std::string& name) {
  return {{"encoder", maps(recorder, "encoder.layers.*.self_attention." + name)},
          {"decoder", maps(recorder, "decoder.layers.*.self_attention." + name)},
          {"cross", maps(recorder, "decoder.layers.*.cross_attention." + name)}};
}

}  // namespace

std::vector<std::string> named(const Tokenizer& tokenizer, const std::vector<int>& ids) {
  std::vector<std::string> names;
  for (const int id : ids) names.push_back(tokenizer.piece(id));
  return names;
}

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
          {"maximum_length", max_tokens - 1}};
}

Passed pass(const Subject& subject, Fields& request) {
  const Translator& translator = subject.translator;
  const std::string text = request.text("text");
  const WritingOptions how = WritingOptions::read(request);
  const Switches switches = subject.switches(request.object("switches"));
  request.done();
  if (split_words(text).empty()) request.fail("\"text\" has no words");
  const std::vector<int> ids = translator.encode_source(text);
  if (ids.size() > max_tokens)
    request.fail("\"text\" has " + std::to_string(ids.size() - 1) + " tokens, " +
                 std::to_string(max_tokens - 1) + " are the most");
  const SwitchedModel model(translator.model, switches);
  const Ids source({1, static_cast<int>(ids.size())}, ids);
  Written written = write(model, source, how, translator.target_tokenizer);
  const std::vector<int> read = read_before(written.tokens);
  return {text, ids, model, source, how, std::move(written), read};
}

Json translation(const Subject& subject, Fields& request) {
  const Translator& translator = subject.translator;
  const auto [text, ids, model, source, how, found, read] = pass(subject, request);
  const auto& [written, cut_from, search] = found;
  const Tokenizer& tokenizer = translator.target_tokenizer;
  std::vector<int> unknown;
  for (std::size_t i = 0; i < ids.size(); ++i)
    if (ids[i] == unk_id) unknown.push_back(static_cast<int>(i));
  const Json steps = steps_of(model, source, read, how, tokenizer);
  Recorder recorder({"scores", "weights", "values", "queries", "keys"});
  model(source, Ids({1, static_cast<int>(read.size())}, read));
  return {{"source", typed(translator.source_tokenizer, text, ids)},
          {"read", named(tokenizer, read)},
          {"target", named(tokenizer, written)},
          {"text", tokenizer.decode(written)},
          {"unknown", unknown},
          {"steps", steps},
          {"cut_from", cut_from},
          {"causal", model.mask},
          {"maps", of_each_kind(recorder, "weights")},
          {"scores", of_each_kind(recorder, "scores")},
          {"values", of_each_kind(recorder, "values")},
          {"queries", of_each_kind(recorder, "queries")},
          {"keys", of_each_kind(recorder, "keys")},
          {"search", search}};
}

Json vocabulary(const Translator& translator, Fields& request) {
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
          {"target", words(translator.target_tokenizer)}};
}

}  // namespace xf::live
