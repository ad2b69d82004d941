#pragma once

#include "autograd/recorder.hpp"
#include "live/fields.hpp"

namespace xf::live {

// The maps recorded under such a path, each (1, H, rows, columns): [[matrix per head] per layer]
//   maps(recorder, "decoder.layers.*.cross_attention.weights")
Json maps(const Recorder& recorder, const std::string& path);

}  // namespace xf::live
