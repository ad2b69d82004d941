#include "07_transformer/translator.hpp"

#include <filesystem>

#include "io/config.hpp"
#include "io/files.hpp"
#include "io/safetensors.hpp"

namespace xf {

namespace {

std::string config_path(const std::string& directory) { return directory + "/config.json"; }

void check_size(const std::string& directory, const std::string& side, int expected,
                const Tokenizer& tokenizer) {
  if (expected != tokenizer.size())
    throw UserError(directory + "/" + side +
                    (tokenizer.kind() == TokenizerKind::bpe ? ".model" : ".vocab.txt") + " has " +
                    std::to_string(tokenizer.size()) + " entries, " + side +
                    "_vocabulary in config.json is " + std::to_string(expected));
}

TokenizerKind kind_of(const std::string& directory, const char* field, const std::string& name) {
  try {
    return parse_tokenizer_kind(name);
  } catch (const UserError&) {
    throw UserError(config_path(directory) + ": " + field + ": word, char or bpe, not " + name);
  }
}

// A config that asks for far more than the file beside it holds is refused before memory is.
void check_file_size(const std::string& directory, const std::string& path,
                     const TransformerConfig& config) {
  std::error_code error;
  const auto bytes = std::filesystem::file_size(path, error);
  constexpr double least = 2;  // bytes of a number (F16)
  if (!error && static_cast<double>(bytes) < least * weight_count(config))
    throw UserError(path + ": truncated, or not of the model in " + config_path(directory));
}

}  // namespace

Translator make_translator(TransformerConfig config, Tokenizer source, Tokenizer target,
                           std::uint64_t seed) {
  config.source_vocabulary = source.size();
  config.target_vocabulary = target.size();
  config.source_tokenizer = name(source.kind());
  config.target_tokenizer = name(target.kind());
  Random random(seed);
  return {std::move(source), std::move(target), Transformer(config, random)};
}

Translator load_description(const std::string& directory, const std::string& weights,
                            std::optional<double> dropout) {
  const std::string path = config_path(directory);
  auto config = from_json<TransformerConfig>(read_file(path), path);
  try {
    layer_sizes(config);
  } catch (const UserError& error) {
    throw UserError(path + ": " + error.what());
  }
  check_file_size(directory, weights, config);
  if (dropout) config.dropout = *dropout;
  Tokenizer source = Tokenizer::load(
      directory, "source", kind_of(directory, "source_tokenizer", config.source_tokenizer));
  Tokenizer target = Tokenizer::load(
      directory, "target", kind_of(directory, "target_tokenizer", config.target_tokenizer));
  check_size(directory, "source", config.source_vocabulary, source);
  check_size(directory, "target", config.target_vocabulary, target);
  if (config.shared_embeddings && !(source == target))
    throw UserError(path + ": shared_embeddings: " + directory +
                    " must hold the same vocabulary as source and as target");
  return make_translator(config, std::move(source), std::move(target), 1);
}

Translator load_translator(const std::string& directory, std::optional<double> dropout) {
  Translator translator = load_description(directory, weights_path(directory), dropout);
  load_parameters(weights_path(directory), parameters(translator.model));
  return translator;
}

void save_description(const std::string& directory, const Translator& translator) {
  make_directory(directory);
  translator.source_tokenizer.save(directory, "source");
  translator.target_tokenizer.save(directory, "target");
  write_file_atomically(config_path(directory), to_json(translator.model.config));
}

}  // namespace xf
