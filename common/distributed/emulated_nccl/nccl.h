#pragma once

#include <cstddef>
#include <mutex>

// What common/distributed/nccl.cu uses of NCCL, for the emulator: the same names and types, and as
// strict. Nobody needs NCCL to run the code that calls it.

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
// All must have the id that one of them has made.
ncclResult_t ncclCommInitRank(ncclComm_t* comm, int ranks, ncclUniqueId id, int rank);
ncclResult_t ncclCommAbort(ncclComm_t comm);
ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t* error);
// What is asked for between the two begins at the second, in every process in the same order.
ncclResult_t ncclGroupStart();
ncclResult_t ncclGroupEnd();
ncclResult_t ncclAllReduce(const void* from, void* to, std::size_t count, ncclDataType_t type,
                           ncclRedOp_t how, ncclComm_t comm, cudaStream_t stream);

namespace xf::cuda {
inline cudaStream_t stream() { return nullptr; }  // there is one, and it needs no name
}  // namespace xf::cuda

namespace xf {

class Endpoint;

// NCCL finds the other GPUs by itself. The stand-in sends by the endpoint of this thread: that of
// the processes, unless a test has given it another.
void connect_emulated_nccl(Endpoint* self);
// From now on this thread's sums have failed behind its back, as where another process has died.
void fail_emulated_nccl(ncclResult_t how);
// Processes that are threads share one device, and ask it one after the other.
std::unique_lock<std::mutex> emulated_device();

}  // namespace xf
