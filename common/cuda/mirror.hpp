#pragma once

#include <memory>
#include <span>

namespace xf::cuda {

// The same numbers on the device. Recent ones are kept there: the lists of a batch, which every
// layer uses, and a mask that all segments share, are copied once.
std::shared_ptr<const int> mirrored(std::span<const int> numbers);
// Valid for the next kernel launch; later calls may reuse the memory.
inline const int* mirrored_now(std::span<const int> numbers) { return mirrored(numbers).get(); }

// Drops all copies: later calls copy anew, as for a new batch.
void forget_mirrored();

}  // namespace xf::cuda
