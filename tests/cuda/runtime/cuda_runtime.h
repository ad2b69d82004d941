#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

// What common/cuda/runtime.cu uses of CUDA's runtime, for a machine without a GPU: the same names
// and types, and as strict. Work is done when somebody waits for it, no sooner; what a recorded
// copy reads is read then. Memory of the device is the host's.

enum cudaError_t {
  cudaSuccess = 0,
  cudaErrorInvalidValue = 1,
  cudaErrorMemoryAllocation = 2,
  cudaErrorInsufficientDriver = 35,
  cudaErrorStreamCaptureUnsupported = 900,
  cudaErrorStreamCaptureInvalidated = 901,
  cudaErrorGraphExecUpdateFailure = 910,
};
enum cudaMemcpyKind {
  cudaMemcpyHostToDevice = 1,
  cudaMemcpyDeviceToHost,
  cudaMemcpyDeviceToDevice
};
enum cudaStreamCaptureMode { cudaStreamCaptureModeRelaxed = 2 };
enum cudaMemPoolAttr {
  cudaMemPoolAttrReleaseThreshold = 4,
  cudaMemPoolAttrReservedMemCurrent = 5,
  cudaMemPoolAttrUsedMemCurrent = 7,
};
using cudaStream_t = struct StandInStream*;
using cudaGraph_t = struct StandInGraph*;
using cudaGraphExec_t = struct StandInExec*;
using cudaGraphNode_t = struct StandInNode*;
using cudaMemPool_t = struct StandInPool*;
struct cudaGraphExecUpdateResultInfo {
  int result;
};

cudaError_t cudaGetDeviceCount(int* count);
cudaError_t cudaDriverGetVersion(int* version);
cudaError_t cudaRuntimeGetVersion(int* version);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetLastError();
const char* cudaGetErrorString(cudaError_t status);
cudaError_t cudaStreamCreate(cudaStream_t* stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device);
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr what, void* value);
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr what, void* value);
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, std::size_t bytes);
cudaError_t cudaMemGetInfo(std::size_t* left, std::size_t* all);
cudaError_t cudaMallocHost(void** block, std::size_t bytes);
// Not while the stream records: the memory would belong to the graph.
cudaError_t cudaMallocAsync(void** block, std::size_t bytes, cudaStream_t stream);
cudaError_t cudaFreeAsync(void* block, cudaStream_t stream);
// Within one block of the device. From memory of the host that no cudaMallocHost() gave: copied
// before it returns, where the stream does not record.
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream);

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode);
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph);
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count);
cudaError_t cudaGraphDestroy(cudaGraph_t graph);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph,
                                 unsigned long long flags);
// Refused where the nodes are not as many and of the same kinds.
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo* why);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec);
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream);

namespace stand_in {

// What kernel<<<..., stream>>>() is here.
void kernel(cudaStream_t stream, std::function<void()> work);

struct Counts {
  int launches = 0;      // kernels, copies and graphs that a stream was given one by one
  int instantiated = 0;  // graphs
  int updated = 0;
  int waits = 0;
};
Counts counts();
void let_memory_end_after(int allocations);  // -1: never
bool all_is_done();                          // does no stream have work that nobody waited for?

}  // namespace stand_in
