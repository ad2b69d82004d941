#pragma once

#include <string>

#include "io/config.hpp"
#include "io/files.hpp"
#include "text/tokenizer.hpp"

namespace xf {

// The files of a model directory (docs/en/model_directory.md): its description, the model that is
// used, and the checkpoint from which a training resumes.
inline std::string config_path(const std::string& directory) { return directory + "/config.json"; }
inline std::string weights_path(const std::string& directory) {
  return directory + "/model.safetensors";
}
inline std::string checkpoint_path(const std::string& directory) {
  return directory + "/checkpoint.safetensors";
}

// Throws UserError if the file at --state is one of the model's own.
void refuse_own_file(const std::string& state, const std::string& directory);

// The config of the directory. Throws UserError naming the file, and the key that `check` refuses
// with a ConfigError.
template <class Config, class Check>
Config read_config(const std::string& directory, const Check& check) {
  const std::string path = config_path(directory);
  const auto config = from_json<Config>(read_file(path), path);
  as_keys_of(path, [&] { check(config); });
  return config;
}

// Per weight, in training: its value, its gradient, and Adam's two moments.
inline constexpr double bytes_of_trained_weight = 4 * sizeof(float);

// Rejects a config that asks for far more numbers than the file `weights` beside it contains,
// before memory is allocated. A double: a damaged config may ask for more than an integer holds.
void check_file_size(const std::string& directory, const std::string& weights, double weight_count);
// The same for a file of this many bytes; `config` is the path of the config.
void check_size(const std::string& config, const std::string& weights, double bytes,
                double weight_count);

// The directory's tokenizer with this stem. Throws UserError naming its file unless it has as
// many entries as the `field` of the config says.
Tokenizer load_tokenizer(const std::string& directory, const std::string& stem, TokenizerKind kind,
                         int entries, const std::string& field);
// The same for the content of that file; `path` is for error messages.
Tokenizer parse_tokenizer(const std::string& content, const std::string& path, TokenizerKind kind,
                          int entries, const std::string& field);

}  // namespace xf
