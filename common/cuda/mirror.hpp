#pragma once

#include <memory>
#include <span>

namespace xf::cuda {

// The same numbers on the device. What was asked for lately is kept there: the lists of a batch, of
// which every layer asks for the same, and a mask that every segment has, are copied once.
std::shared_ptr<const int> mirrored(std::span<const int> numbers);
// Valid for the next kernel launch; later calls may reuse the memory.
inline const int* mirrored_now(std::span<const int> numbers) { return mirrored(numbers).get(); }

// Drops all copies: later calls copy anew, as for a new batch.
void forget_mirrored();

}  // namespace xf::cuda
