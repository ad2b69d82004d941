#include "07_transformer/translator.hpp"

#include "io/config.hpp"
#include "io/files.hpp"
#include "io/safetensors.hpp"

namespace xf {

namespace {

std::string config_path(const std::string& directory) { return directory + "/config.json"; }

void check_size(const std::string& directory, const char* field, int expected, int found) {
  if (expected != found)
    throw UserError(config_path(directory) + ": " + field + " is " + std::to_string(expected) +
                    ", the vocabulary file has " + std::to_string(found) + " entries");
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

Translator load_description(const std::string& directory) {
  const std::string path = config_path(directory);
  const auto config = from_json<TransformerConfig>(read_file(path), path);
  try {
    layer_sizes(config);
  } catch (const UserError& error) {
    throw UserError(path + ": " + error.what());
  }
  Tokenizer source =
      Tokenizer::load(directory, "source", parse_tokenizer_kind(config.source_tokenizer));
  Tokenizer target =
      Tokenizer::load(directory, "target", parse_tokenizer_kind(config.target_tokenizer));
  check_size(directory, "source_vocabulary", config.source_vocabulary, source.size());
  check_size(directory, "target_vocabulary", config.target_vocabulary, target.size());
  return make_translator(config, std::move(source), std::move(target), 1);
}

Translator load_translator(const std::string& directory) {
  Translator translator = load_description(directory);
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
