#pragma once

#include "live/switches.hpp"

namespace xf::live {

// What a box of the drawing of the whole model (tools/book/whole.py) gives on, for one sentence:
//   {"part": "encoder_norm_1", "layer": 0, "text": "...", "switches": {...}} -> matrix, a row for
//   each word. "encoder" and "decoder" are what the stacks return. A feed-forward network shows its
//   hidden units, (S, Dff) or (T, Dff).
Json tensor_of_part(const Subject& subject, Fields& request);

}  // namespace xf::live
