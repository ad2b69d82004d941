#pragma once

#include <span>

namespace xf::cuda {

// The same numbers on the device. What was asked for lately is kept there: the lists of a batch, of
// which every layer asks for the same, are copied once. Valid until many others were asked for.
const int* mirrored(std::span<const int> numbers);

}  // namespace xf::cuda
