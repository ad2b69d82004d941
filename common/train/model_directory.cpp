#include "train/model_directory.hpp"

#include <filesystem>

namespace xf {

void check_file_size(const std::string& directory, const std::string& weights,
                     double weight_count) {
  std::error_code error;
  const auto bytes = std::filesystem::file_size(weights, error);
  constexpr double least = 2;  // bytes of a number (F16)
  if (!error && static_cast<double>(bytes) < least * weight_count)
    throw UserError(weights + ": truncated, or not of the model in " + config_path(directory));
}

Tokenizer load_tokenizer(const std::string& directory, const std::string& stem, TokenizerKind kind,
                         int entries, const std::string& field) {
  Tokenizer tokenizer = Tokenizer::load(directory, stem, kind);
  if (tokenizer.size() != entries)
    throw UserError(directory + "/" + stem +
                    (kind == TokenizerKind::bpe ? ".model" : ".vocab.txt") + " has " +
                    std::to_string(tokenizer.size()) + " entries, " + field +
                    " in config.json is " + std::to_string(entries));
  return tokenizer;
}

}  // namespace xf
