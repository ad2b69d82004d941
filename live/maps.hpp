#pragma once

#include "autograd/recorder.hpp"
#include "live/fields.hpp"

namespace xf::live {

// [[matrix per head] per layer] of the attention weights that were recorded below such a path:
//   maps(recorder, "decoder.layers.*.cross_attention")
Json maps(const Recorder& recorder, const std::string& path);

}  // namespace xf::live
