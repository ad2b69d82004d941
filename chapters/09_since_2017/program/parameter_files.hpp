#pragma once

#include <string>

#include "09_since_2017/program/published_config.hpp"
#include "09_since_2017/program/published_model.hpp"
#include "io/published_weights.hpp"

namespace xf {

// Shared by the readers of a model's parameters, for every kind of file.

// Throws UserError if the memory is too small. Reports how long the reading may take.
void announce(const std::string& path, const PublishedWeights& weights);

// Adds Qwen3's norms of each head's queries and keys, from `source`.
void add_head_norms(DecoderOnly& model, const ParameterSource& source);

// The model of a GGUF file, gguf_model.cpp.
PublishedModel load_gguf(const std::string& path);

template <class AnyLoader>
PublishedModel loaded(const PublishedConfig& config, AnyLoader& loader) {
  const ParameterSource source = [&](const std::string& name, const Shape& shape) {
    return loader(name, shape);
  };
  DecoderOnly model(config.decoder, source);
  if (config.family == ModelFamily::qwen3) add_head_norms(model, source);
  return {std::move(model), config.ends, config.begin, config.max_positions};
}

}  // namespace xf
