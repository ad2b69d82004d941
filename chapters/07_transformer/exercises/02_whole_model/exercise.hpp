#pragma once

#include "01_embedding/positional_encoding.hpp"
#include "05_encoder/encoder.hpp"
#include "06_decoder/decoder.hpp"
#include "support/kit.hpp"

namespace xf::exercise {

struct ModelParts {
  Tensor source_table, target_table;  // (Vs, D), (Vt, D)
  const Encoder& encoder;
  const Decoder& decoder;
};

// What the model expects after each word of the target.
//   source: (B, S), 0 is padding   target: (B, T), <bos> first   returns (B, T, Vt)
Tensor logits(const ModelParts& model, const Ids& source, const Ids& target);

}  // namespace xf::exercise
