#include <cuda_runtime.h>

#include <limits>

#include "cuda/launch.hpp"

namespace xf::cuda {

namespace {

// The first device and its one stream, made at the first use. Blocks that were released stay with
// the program: a training step allocates the same sizes every time.
struct Runtime {
  cudaStream_t stream = nullptr;

  Runtime() {
    int devices = 0, device = 0;
    check(cudaGetDeviceCount(&devices), "there is no GPU to use here");
    check(cudaGetDevice(&device), "the GPU cannot be used");
    check(cudaStreamCreate(&stream), "the GPU cannot be used");
    cudaMemPool_t pool = nullptr;
    check(cudaDeviceGetDefaultMemPool(&pool, device), "the GPU has no pool of memory");
    std::uint64_t all = std::numeric_limits<std::uint64_t>::max();
    check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all),
          "the GPU has no pool of memory");
  }
};

Runtime& runtime() {
  static auto* const runtime =
      new Runtime;  // never destroyed: tensors of static life may outlive it
  return *runtime;
}

std::string free_memory() {
  std::size_t left = 0, all = 0;
  cudaMemGetInfo(&left, &all);
  return std::to_string(left >> 20) + " of " + std::to_string(all >> 20) + " MiB are free";
}

}  // namespace

void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  cudaGetLastError();  // what was reported is forgotten
  throw DeviceError("cuda: " + std::string(what) + ": " + cudaGetErrorString(status));
}

cudaStream_t stream() { return runtime().stream; }

void require_device() { runtime(); }

void* allocate(std::size_t bytes) {
  void* block = nullptr;
  const cudaError_t status = cudaMallocAsync(&block, bytes == 0 ? 1 : bytes, stream());
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    throw DeviceError("cuda: no memory for " + std::to_string(bytes) + " bytes, " + free_memory());
  }
  check(status, "memory");
  return block;
}

void release(void* block, std::size_t) noexcept { cudaFreeAsync(block, runtime().stream); }

void copy_to_device(void* to, const void* host, std::size_t bytes) {
  check(cudaMemcpyAsync(to, host, bytes, cudaMemcpyHostToDevice, stream()), "a copy to the GPU");
}

void copy_to_host(void* host, const void* from, std::size_t bytes) {
  check(cudaMemcpyAsync(host, from, bytes, cudaMemcpyDeviceToHost, stream()),
        "a copy from the GPU");
  check(cudaStreamSynchronize(stream()), "the work on the GPU");
}

void copy_on_device(void* to, const void* from, std::size_t bytes) {
  check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream()), "a copy on the GPU");
}

}  // namespace xf::cuda
