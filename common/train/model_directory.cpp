#include "train/model_directory.hpp"

#include <filesystem>

namespace xf {

void refuse_own_file(const std::string& state, const std::string& directory) {
  std::error_code error;  // equivalent() is false if there is no such file
  for (const std::string& own :
       {config_path(directory), weights_path(directory), checkpoint_path(directory)})
    if (std::filesystem::equivalent(state, own, error))
      throw UserError("--state: {} belongs to the model itself; name another file", state);
}

void check_file_size(const std::string& directory, const std::string& weights,
                     double weight_count) {
  std::error_code error;
  const auto bytes = std::filesystem::file_size(weights, error);
  if (!error) check_size(config_path(directory), weights, static_cast<double>(bytes), weight_count);
}

void check_size(const std::string& config, const std::string& weights, double bytes,
                double weight_count) {
  constexpr double least = 2;  // bytes per number (F16)
  if (bytes < least * weight_count)
    throw UserError("{}: truncated, or does not belong to the model in {}", weights, config);
}

Tokenizer load_tokenizer(const std::string& directory, const std::string& stem, TokenizerKind kind,
                         int entries, const std::string& field) {
  const std::string path = directory + "/" + Tokenizer::file_name(stem, kind);
  return parse_tokenizer(read_file(path), path, kind, entries, field);
}

Tokenizer parse_tokenizer(const std::string& content, const std::string& path, TokenizerKind kind,
                          int entries, const std::string& field) {
  Tokenizer tokenizer = Tokenizer::parse(kind, content, path);
  if (tokenizer.size() != entries)
    throw UserError("{} has {} entries, but {} in config.json is {}", path, tokenizer.size(), field,
                    entries);
  return tokenizer;
}

}  // namespace xf
