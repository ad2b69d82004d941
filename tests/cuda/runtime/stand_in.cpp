#include <cuda_runtime.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

struct StandInStream {
  std::vector<std::function<void()>> waiting;
};
struct StandInPool {};

namespace {

StandInStream the_stream;
StandInPool the_pool;
cudaError_t last = cudaSuccess;
int allocations_left = -1;
std::map<const char*, std::size_t> blocks;

cudaError_t end(cudaError_t status) {
  if (status != cudaSuccess) last = status;
  return status;
}

bool in_a_block(const void* from, std::size_t bytes) {
  const char* const first = static_cast<const char*>(from);
  const auto after = blocks.upper_bound(first);
  if (after == blocks.begin()) return false;
  const auto& [block, size] = *std::prev(after);
  return first + bytes <= block + size;
}

}  // namespace

cudaError_t cudaGetDeviceCount(int* count) { return *count = 1, cudaSuccess; }
cudaError_t cudaDriverGetVersion(int* version) { return *version = 13000, cudaSuccess; }
cudaError_t cudaRuntimeGetVersion(int* version) { return *version = 13000, cudaSuccess; }
cudaError_t cudaSetDevice(int device) {
  return end(device == 0 ? cudaSuccess : cudaErrorInvalidValue);
}
cudaError_t cudaGetLastError() { return std::exchange(last, cudaSuccess); }
const char* cudaGetErrorString(cudaError_t status) {
  switch (status) {
    case cudaSuccess:
      return "no error";
    case cudaErrorMemoryAllocation:
      return "out of memory";
    default:
      return "invalid argument";
  }
}
cudaError_t cudaStreamCreate(cudaStream_t* stream) { return *stream = &the_stream, cudaSuccess; }
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  for (const auto& work : std::exchange(stream->waiting, {})) work();
  return cudaSuccess;
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int) {
  return *pool = &the_pool, cudaSuccess;
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void*) { return cudaSuccess; }
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t, cudaMemPoolAttr, void* value) {
  return *static_cast<std::uint64_t*>(value) = 3 << 20, cudaSuccess;
}
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t, std::size_t) { return cudaSuccess; }
cudaError_t cudaMemGetInfo(std::size_t* left, std::size_t* all) {
  return *left = 1 << 20, *all = 4 << 20, cudaSuccess;
}
cudaError_t cudaMallocAsync(void** block, std::size_t bytes, cudaStream_t) {
  if (allocations_left == 0) return end(cudaErrorMemoryAllocation);
  if (allocations_left > 0) --allocations_left;
  *block = std::malloc(bytes);
  blocks[static_cast<const char*>(*block)] = bytes;
  return cudaSuccess;
}
cudaError_t cudaFreeAsync(void* block, cudaStream_t stream) {
  blocks.erase(static_cast<const char*>(block));
  stream->waiting.push_back([block] { std::free(block); });
  if (allocations_left >= 0) ++allocations_left;
  return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  if ((kind != cudaMemcpyDeviceToHost && !in_a_block(to, bytes)) ||
      (kind != cudaMemcpyHostToDevice && !in_a_block(from, bytes)))
    return end(cudaErrorInvalidValue);
  if (kind == cudaMemcpyHostToDevice) {
    const auto* const first = static_cast<const char*>(from);
    stream->waiting.push_back([to, kept = std::vector<char>(first, first + bytes)] {
      std::memcpy(to, kept.data(), kept.size());
    });
  } else {
    stream->waiting.push_back([=] { std::memcpy(to, from, bytes); });
  }
  return cudaSuccess;
}

namespace stand_in {

void kernel(cudaStream_t stream, std::function<void()> work) {
  stream->waiting.push_back(std::move(work));
}
void let_memory_end_after(int allocations) { allocations_left = allocations; }
bool all_is_done() { return the_stream.waiting.empty(); }

}  // namespace stand_in
