#include <limits>

#include "cuda/block_cache.hpp"
#include "cuda/device_memory.hpp"
#include "cuda/device_number.hpp"
#include "cuda/stream.hpp"

namespace xf::cuda {

namespace {

std::string version_text(int version) {  // 12040: 12.4
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

// Requires a driver that supports this CUDA version, and a device.   returns the number of devices
int require_driver_and_device() {
  int devices = 0, driver = 0, own = 0;
  const cudaError_t status = cudaGetDeviceCount(&devices);
  if (status == cudaErrorInsufficientDriver && cudaDriverGetVersion(&driver) == cudaSuccess &&
      driver > 0) {
    cudaRuntimeGetVersion(&own);
    throw DeviceError("cuda: the driver is one for CUDA " + version_text(driver) +
                      ", this program is built with " + version_text(own) +
                      "; a newer driver is needed");
  }
  check(status, "there is no GPU to use here");
  return devices;
}

// The program's device and its only stream, created on first use. Released blocks stay with the
// program.
struct Runtime {
  cudaStream_t stream = nullptr;
  cudaMemPool_t pool = nullptr;
  BlockCache released;

  Runtime() {
    const int device = device_number % require_driver_and_device();
    check(cudaSetDevice(device), "the GPU cannot be used");
    check(cudaStreamCreate(&stream), "the GPU cannot be used");
    check(cudaDeviceGetDefaultMemPool(&pool, device), "the GPU has no pool of memory");
    std::uint64_t all = std::numeric_limits<std::uint64_t>::max();
    check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all),
          "the GPU has no pool of memory");
  }
};

Runtime& runtime() {
  static auto* const runtime = new Runtime;  // never destroyed: static tensors may outlive it
  return *runtime;
}

Traffic counted;

void wait() { check(cudaStreamSynchronize(runtime().stream), "the work on the GPU"); }

std::string free_memory() {
  std::size_t left = 0, all = 0;
  cudaMemGetInfo(&left, &all);
  std::uint64_t used = 0, held = 0;
  cudaMemPoolGetAttribute(runtime().pool, cudaMemPoolAttrUsedMemCurrent, &used);
  cudaMemPoolGetAttribute(runtime().pool, cudaMemPoolAttrReservedMemCurrent, &held);
  return std::to_string(left >> 20) + " of " + std::to_string(all >> 20) +
         " MiB are free, this program uses " + std::to_string(used >> 20) + " and holds " +
         std::to_string(held >> 20);
}

}  // namespace

void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  cudaGetLastError();  // clears the reported error
  throw DeviceError("cuda: " + std::string(what) + ": " + cudaGetErrorString(status));
}

cudaStream_t stream() { return runtime().stream; }

void require_device() { runtime(); }

void* allocate(std::size_t bytes) {
  void* block = runtime().released.take(bytes);
  if (block) return block;
  const std::size_t size = BlockCache::size_for(bytes);
  cudaError_t status = cudaMallocAsync(&block, size, stream());
  if (status == cudaErrorMemoryAllocation) {  // retries after freeing the idle blocks
    cudaGetLastError();
    for (void* idle : runtime().released.take_all()) cudaFreeAsync(idle, stream());
    wait();
    cudaMemPoolTrimTo(runtime().pool, 0);
    status = cudaMallocAsync(&block, size, stream());
  }
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    throw DeviceError("cuda: no memory for " + std::to_string(bytes) + " bytes, " + free_memory());
  }
  check(status, "memory");
  return block;
}

void release(void* block, std::size_t bytes) noexcept {
  try {
    runtime().released.keep(block, bytes);
  } catch (...) {  // the host has no memory for the list
    cudaFreeAsync(block, runtime().stream);
  }
}

void copy_to_device(void* to, const void* host, std::size_t bytes) {
  ++counted.to_device;
  check(cudaMemcpyAsync(to, host, bytes, cudaMemcpyHostToDevice, stream()), "a copy to the GPU");
}

void copy_to_host(void* host, const void* from, std::size_t bytes) {
  check(cudaMemcpyAsync(host, from, bytes, cudaMemcpyDeviceToHost, stream()),
        "a copy from the GPU");
  ++counted.to_host;
  counted.bytes_to_host += bytes;
  ++counted.waits;
  wait();
}

void copy_on_device(void* to, const void* from, std::size_t bytes) {
  check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream()), "a copy on the GPU");
}

Traffic traffic() { return counted; }

}  // namespace xf::cuda
