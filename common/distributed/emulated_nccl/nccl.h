#pragma once

#include <cstddef>
#include <mutex>

// The part of NCCL that common/distributed/nccl.cu uses, for the emulator: the same names and
// types, and equally strict, so that the calling code runs without NCCL.

using cudaStream_t = struct EmulatedStream*;
using ncclComm_t = struct EmulatedNccl*;

struct ncclUniqueId {
  char internal[128];
};
enum ncclResult_t {
  ncclSuccess = 0,
  ncclInvalidArgument = 4,
  ncclInvalidUsage = 5,
  ncclRemoteError = 6,
  ncclInProgress = 7,
};
enum ncclDataType_t { ncclFloat32 = 7 };
enum ncclRedOp_t { ncclSum = 0 };

const char* ncclGetErrorString(ncclResult_t result);
ncclResult_t ncclGetUniqueId(ncclUniqueId* id);
// All processes must pass the id that one of them has created.
ncclResult_t ncclCommInitRank(ncclComm_t* comm, int ranks, ncclUniqueId id, int rank);
ncclResult_t ncclCommAbort(ncclComm_t comm);
ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t* error);
// Operations issued between the two start at the second, in the same order in every process.
ncclResult_t ncclGroupStart();
ncclResult_t ncclGroupEnd();
ncclResult_t ncclAllReduce(const void* from, void* to, std::size_t count, ncclDataType_t type,
                           ncclRedOp_t how, ncclComm_t comm, cudaStream_t stream);

namespace xf::cuda {
inline cudaStream_t stream() { return nullptr; }  // the only stream needs no handle
}  // namespace xf::cuda

namespace xf {

class Endpoint;

// NCCL finds the other GPUs by itself. The stand-in communicates through this thread's endpoint:
// that of the processes, unless a test has set another one.
void connect_emulated_nccl(Endpoint* self);
// From now on, this thread's sums fail asynchronously, as if another process had died.
void fail_emulated_nccl(ncclResult_t how);
// Processes that are threads share one device, and take turns using it.
std::unique_lock<std::mutex> emulated_device();

}  // namespace xf
