#pragma once

#include <array>
#include <functional>
#include <string>

#include "nn/init.hpp"
#include "ops/elementwise/elementwise.hpp"

namespace xf {

enum class NormKind { layer_norm, rms_norm };
constexpr std::array<const char*, 2> names_of(NormKind) { return {"layer_norm", "rms_norm"}; }
enum class DecoderPositions { learned, rotary };
constexpr std::array<const char*, 2> names_of(DecoderPositions) { return {"learned", "rotary"}; }

// How rotary positions were scaled for texts longer than those of the training.
//   linear   every angle is divided by `factor`                          Chen et al. 2023
//   llama3   only those that turn at most high_frequency times in original_length positions
struct RotaryScaling {
  enum class Kind { none, linear, llama3 } kind = Kind::none;
  double factor = 1, low_frequency = 1, high_frequency = 4, original_length = 8192;
};

// Everything that the shape of a decoder-only model depends on. GPT-2 has layer_norm, learned
// positions, a plain feed-forward network and all biases; Llama rms_norm, rotary positions, a gated
// network and no biases; Qwen2 is Llama with biases for queries, keys and values.
struct DecoderConfig {
  int vocabulary = 0, d_model = 0, d_ff = 0, layers = 0;
  int heads = 0;            // of the queries
  int key_value_heads = 0;  // divides heads: heads / key_value_heads queries share a key
  int d_k = 0;              // of a head; heads * d_k need not be d_model
  int positions = 0;        // rows of the table of learned positions
  NormKind norm = NormKind::rms_norm;
  DecoderPositions position = DecoderPositions::rotary;
  bool gated = true;
  std::function<Tensor(const Tensor&)> activation = silu;
  bool qkv_bias = false, output_bias = false, feed_forward_bias = false;
  bool tied = false;
  float norm_eps = 1e-6f;
  double rotary_base = 10000;
  RotaryScaling scaling = {};
  // Scores are divided by sqrt(d_k), and in some GPT-2 variants by the layer's number, from 1 on.
  bool divides_by_root = true, divides_by_layer = false;
};

// The source of a new model's parameters: random numbers, or files. The names are those of visit(),
// such as "layers.0.attention.w_q.weight".
using ParameterSource = std::function<Tensor(const std::string& name, const Shape& shape)>;

// Matrices from a normal distribution, gains 1, biases 0.         Radford et al. 2019, 2.3
inline ParameterSource drawn(Random& random, double deviation = 0.02) {
  return [&random, deviation](const std::string& name, const Shape& shape) {
    if (shape.rank() == 2) return normal(shape, deviation, random);
    return constant(shape, name.ends_with("gamma") ? 1.0f : 0.0f);
  };
}

}  // namespace xf
