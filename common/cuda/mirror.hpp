#pragma once

#include <memory>
#include <span>

namespace xf::cuda {

// The same numbers on the device. What was asked for lately is kept there: the lists of a batch, of
// which every layer asks for the same, and a mask that every segment has, are copied once.
std::shared_ptr<const int> mirrored(std::span<const int> numbers);
// For a kernel that is launched next; other calls may have the memory after it.
inline const int* mirrored_now(std::span<const int> numbers) { return mirrored(numbers).get(); }

// What is asked for from now on is copied anew, as for a batch that nobody has seen before.
void forget_mirrored();

}  // namespace xf::cuda
