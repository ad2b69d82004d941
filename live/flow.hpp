#pragma once

#include "live/switches.hpp"

namespace xf::live {

// The output of one box in the drawing of the whole model (tools/book/whole.py), for one sentence:
//   {"part": "encoder_norm_1", "layer": 0, "text": "...", "switches": {...}} -> matrix, one row
//   per word. "encoder" and "decoder" are what the stacks return. A feed-forward network shows its
//   hidden units, (S, Dff) or (T, Dff).
Json tensor_of_part(const Subject& subject, Fields& request);

}  // namespace xf::live
