#pragma once

#include <cuda_runtime.h>

// The program's only stream, for kernels and libraries.
namespace xf::cuda {

cudaStream_t stream();

// Throws DeviceError with `what` and the runtime's message.
void check(cudaError_t status, const char* what);

}  // namespace xf::cuda
