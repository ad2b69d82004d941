#pragma once

#include <memory>
#include <span>

namespace xf::cuda {

// A copy of these numbers on the device. Recent copies are cached: the lists of a batch, which
// every layer uses, and a mask shared by all segments are copied only once.
std::shared_ptr<const int> mirrored(std::span<const int> numbers);
// Valid for the next kernel launch; later calls may reuse the memory.
inline const int* mirrored_now(std::span<const int> numbers) { return mirrored(numbers).get(); }

// Drops all cached copies, as for a new batch: later calls copy again.
void forget_mirrored();

}  // namespace xf::cuda
