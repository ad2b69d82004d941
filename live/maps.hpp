#pragma once

#include "autograd/recorder.hpp"
#include "live/fields.hpp"

namespace xf::live {

// [[matrix per head] per layer] of what was recorded, (1, H, rows, columns), under such a path:
//   maps(recorder, "decoder.layers.*.cross_attention.weights")
Json maps(const Recorder& recorder, const std::string& path);

}  // namespace xf::live
