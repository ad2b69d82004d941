#pragma once

#include "01_embedding/positional_encoding.hpp"
#include "01_embedding/token_embedding.hpp"
#include "05_encoder/encoder.hpp"
#include "nn/parameters.hpp"
#include "program/program.hpp"

namespace xf::lesson_05 {

// Perturbs every parameter of a fresh layer a little: afterwards no bias is 0 and no gain is 1, so
// that a comparison notices when one is forgotten.
template <class Layer>
Layer stirred(Layer layer, Random& random) {
  for (const NamedParameter& parameter : parameters(layer))
    replace_each(*parameter.tensor,
                 [&](float x) { return x + static_cast<float>(0.2 * random.normal()); });
  return layer;
}

// A small vocabulary with its own id for padding.
inline const std::vector<std::string> vocabulary = {
    "<pad>", "<bos>", "<eos>", "<unk>", "I", "like", "the", "2022", "Beijing", "Winter", "Games"};
constexpr std::int32_t pad = 0, eos = 2;

// Embedding and positions, as in chapter 1.   ids: (B, S)   returns (B, S, D)
inline Tensor embedded(const Ids& ids, const TokenEmbedding& table) {
  return add_positions(table(ids));
}

// The sections of the lesson, in order.
// lesson_layer.cpp
void one_layer(std::uint64_t seed);
void kept_residual(std::uint64_t seed);
void the_stack(std::uint64_t seed);
// lesson_padding.cpp
void padding_stays_out(std::uint64_t seed);
void a_real_word_with_id_0(std::uint64_t seed);
// lesson_depth.cpp
void growth_with_depth(const CommonOptions& options);
void gradient_flow(std::uint64_t seed);
// lesson_pictures.cpp
void attention_pictures(const CommonOptions& options);
void heads_that_begin_alike(std::uint64_t seed);
// lesson_dropout.cpp
void dropout_places(std::uint64_t seed);
// lesson_ambiguous.cpp
void ambiguous_word(std::uint64_t seed);

}  // namespace xf::lesson_05
