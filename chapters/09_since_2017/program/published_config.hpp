#pragma once

#include <string>
#include <vector>

#include "09_since_2017/config.hpp"
#include "io/gguf.hpp"
#include "io/json_object.hpp"

namespace xf {

enum class ModelFamily { gpt2, llama, qwen2, qwen3, mistral };
constexpr std::array<const char*, 5> names_of(ModelFamily) {
  return {"gpt2", "llama", "qwen2", "qwen3", "mistral"};
}

struct PublishedConfig {
  ModelFamily family = ModelFamily::llama;
  DecoderConfig decoder = {};
  bool says_tied = false;  // stated in the file, not the family's default
  int max_positions = 0;   // of a text, or 0
  std::vector<int> ends = {};
  int begin = -1;
};

// The family of config.json's `model_type`. Throws UserError for an unknown one.
ModelFamily model_family(const JsonObject& config);

// The config in a GGUF file, gguf_config.cpp.
PublishedConfig read_gguf_config(const GgufFile& file);

// config.json, and generation_config.json if there is one. Throws UserError naming file and key.
PublishedConfig read_published_config(const std::string& directory);

}  // namespace xf
