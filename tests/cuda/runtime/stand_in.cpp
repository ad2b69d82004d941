#include <cuda_runtime.h>

#include <cstdlib>
#include <cstring>
#include <limits>
#include <map>
#include <utility>
#include <vector>

namespace {

struct Work {
  int kind;  // of a node: kernel 0, or the cudaMemcpyKind
  std::function<void()> run;
};

}  // namespace

struct StandInGraph {
  std::vector<Work> nodes;
};
struct StandInExec {
  std::vector<Work> nodes;
  int running = 0;
};
struct StandInStream {
  std::vector<std::function<void()>> waiting;
  bool records = false, is_invalid = false;
  std::vector<Work> recorded;
};
struct StandInPool {};

namespace {

StandInStream the_stream;
StandInPool the_pool;
cudaError_t last = cudaSuccess;
stand_in::Counts counted;
int allocations_left = -1;
std::map<const char*, std::size_t> pinned, blocks;

cudaError_t end(cudaError_t status) {
  if (status != cudaSuccess) last = status;
  return status;
}

// What no stream may be asked for while it records: the recording is lost.
bool refused(cudaStream_t stream) {
  if (stream->records) stream->is_invalid = true;
  return stream->records;
}

void add(cudaStream_t stream, Work work) {
  if (stream->records) return stream->recorded.push_back(std::move(work));
  ++counted.launches;
  stream->waiting.push_back(std::move(work.run));
}

bool lies_in(const std::map<const char*, std::size_t>& all, const void* from, std::size_t bytes) {
  const char* const first = static_cast<const char*>(from);
  const auto after = all.upper_bound(first);
  if (after == all.begin()) return false;
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
    case cudaErrorStreamCaptureUnsupported:
      return "operation not permitted when stream is capturing";
    case cudaErrorStreamCaptureInvalidated:
      return "operation failed due to a previous error during capture";
    default:
      return "invalid argument";
  }
}
cudaError_t cudaStreamCreate(cudaStream_t* stream) { return *stream = &the_stream, cudaSuccess; }
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  if (refused(stream)) return end(cudaErrorStreamCaptureUnsupported);
  ++counted.waits;
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
cudaError_t cudaMallocHost(void** block, std::size_t bytes) {
  *block = std::malloc(bytes);
  pinned[static_cast<const char*>(*block)] = bytes;
  return cudaSuccess;
}
cudaError_t cudaMallocAsync(void** block, std::size_t bytes, cudaStream_t stream) {
  if (refused(stream)) return end(cudaErrorStreamCaptureUnsupported);
  if (allocations_left == 0) return end(cudaErrorMemoryAllocation);
  if (allocations_left > 0) --allocations_left;
  *block = std::malloc(bytes);
  blocks[static_cast<const char*>(*block)] = bytes;
  return cudaSuccess;
}
cudaError_t cudaFreeAsync(void* block, cudaStream_t stream) {
  if (refused(stream)) return end(cudaErrorStreamCaptureUnsupported);
  blocks.erase(static_cast<const char*>(block));
  stream->waiting.push_back([block] { std::free(block); });
  if (allocations_left >= 0) ++allocations_left;
  return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  if ((kind != cudaMemcpyDeviceToHost && !lies_in(blocks, to, bytes)) ||
      (kind != cudaMemcpyHostToDevice && !lies_in(blocks, from, bytes)))
    return end(cudaErrorInvalidValue);
  if (kind == cudaMemcpyHostToDevice && !stream->records && !lies_in(pinned, from, bytes)) {
    const auto* const first = static_cast<const char*>(from);
    add(stream, {kind, [to, kept = std::vector<char>(first, first + bytes)] {
                   std::memcpy(to, kept.data(), kept.size());
                 }});
  } else {
    add(stream, {kind, [=] { std::memcpy(to, from, bytes); }});
  }
  return cudaSuccess;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
  if (refused(stream)) return end(cudaErrorStreamCaptureUnsupported);
  stream->records = true;
  return cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  *graph = nullptr;
  if (!std::exchange(stream->records, false)) return end(cudaErrorInvalidValue);
  std::vector<Work> nodes = std::exchange(stream->recorded, {});
  if (std::exchange(stream->is_invalid, false)) return end(cudaErrorStreamCaptureInvalidated);
  *graph = new StandInGraph{std::move(nodes)};
  return cudaSuccess;
}
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t*, std::size_t* count) {
  return *count = graph->nodes.size(), cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) { return delete graph, cudaSuccess; }
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long) {
  ++counted.instantiated;
  *exec = new StandInExec{graph->nodes};
  return cudaSuccess;
}
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo* why) {
  why->result = 0;
  bool same = exec->nodes.size() == graph->nodes.size();
  for (std::size_t i = 0; same && i < graph->nodes.size(); ++i)
    same = exec->nodes[i].kind == graph->nodes[i].kind;
  if (!same) return why->result = 1, end(cudaErrorGraphExecUpdateFailure);
  ++counted.updated;
  exec->nodes = graph->nodes;
  return cudaSuccess;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  if (exec->running > 0) return end(cudaErrorInvalidValue);
  return delete exec, cudaSuccess;
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
  if (refused(stream)) return end(cudaErrorStreamCaptureUnsupported);
  ++counted.launches;
  ++exec->running;
  stream->waiting.push_back([exec, nodes = exec->nodes] {  // a later update changes nothing in it
    for (const Work& node : nodes) node.run();
    --exec->running;
  });
  return cudaSuccess;
}

namespace stand_in {

void kernel(cudaStream_t stream, std::function<void()> work) { add(stream, {0, std::move(work)}); }
Counts counts() { return counted; }
void let_memory_end_after(int allocations) { allocations_left = allocations; }
bool all_is_done() { return the_stream.waiting.empty() && !the_stream.records; }

}  // namespace stand_in
