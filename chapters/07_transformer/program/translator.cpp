#include "07_transformer/program/translator.hpp"

#include "07_transformer/program/marian.hpp"
#include "io/config.hpp"
#include "io/files.hpp"
#include "io/safetensors.hpp"

namespace xf {

Translator make_translator(TransformerConfig config, Tokenizer source, Tokenizer target,
                           Random random) {
  config.source_vocabulary = source.size();
  config.target_vocabulary = target.size();
  config.source_tokenizer = source.kind();
  config.target_tokenizer = target.kind();
  if (config.shared_embeddings && !(source == target))
    throw ConfigError("shared_embeddings", "the two vocabularies must be the same");
  if (config.source_length > 0 && source.piece(source.size() - 1) != filler)
    throw ConfigError("source_length", "the source vocabulary does not end in <fill>");
  return {std::move(source), std::move(target), Transformer(config, random), {.beam = 5}};
}

Translator load_description(const std::string& directory, const std::string& weights,
                            std::optional<double> dropout) {
  auto config = read_config<TransformerConfig>(directory, layer_sizes);
  check_file_size(directory, weights, weight_count(config));
  if (dropout) config.dropout = *dropout;
  Tokenizer source = load_tokenizer(directory, "source", config.source_tokenizer,
                                    config.source_vocabulary, "source_vocabulary");
  Tokenizer target = load_tokenizer(directory, "target", config.target_tokenizer,
                                    config.target_vocabulary, "target_vocabulary");
  return as_keys_of(config_path(directory), [&] {
    return make_translator(config, std::move(source), std::move(target), Random::none());
  });
}

Translator load_translator(const std::string& directory, std::optional<double> dropout) {
  if (is_published(directory)) return load_marian(directory);
  Translator translator = load_description(directory, weights_path(directory), dropout);
  load_parameters(weights_path(directory), parameters(translator.model));
  return translator;
}

Translator parse_translator(const std::map<std::string, std::string>& files) {
  const auto content = [&](const std::string& name) -> const std::string& {
    const auto found = files.find(name);
    if (found == files.end()) throw UserError("the model has no file {}", name);
    return found->second;
  };
  const std::string description = "config.json", weights = "model.safetensors";
  const auto config = from_json<TransformerConfig>(content(description), description);
  as_keys_of(description, [&] { layer_sizes(config); });
  check_size(description, weights, static_cast<double>(content(weights).size()),
             weight_count(config));
  const auto tokenizer = [&](const char* stem, TokenizerKind kind, int entries) {
    const std::string name = Tokenizer::file_name(stem, kind);
    return parse_tokenizer(content(name), name, kind, entries, std::string(stem) + "_vocabulary");
  };
  Tokenizer source = tokenizer("source", config.source_tokenizer, config.source_vocabulary);
  Tokenizer target = tokenizer("target", config.target_tokenizer, config.target_vocabulary);
  Translator translator = as_keys_of(description, [&] {
    return make_translator(config, std::move(source), std::move(target), Random::none());
  });
  parse_parameters(content(weights), weights, parameters(translator.model));
  return translator;
}

void save_description(const std::string& directory, const Translator& translator) {
  make_directory(directory);
  translator.source_tokenizer.save(directory, "source");
  translator.target_tokenizer.save(directory, "target");
  write_file_atomically(config_path(directory), to_json(translator.model.config));
}

}  // namespace xf
