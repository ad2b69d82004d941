#pragma once

namespace xf::cuda {

// The index of the GPU that this program uses, modulo the number of GPUs; to be set before first
// use. Processes on one machine each use their own (distributed/processes.hpp).
inline int device_number = 0;

}  // namespace xf::cuda
