#include "distributed/nccl.hpp"

#include <nccl.h>

#include <cstring>
#include <string>

#include "cuda/launch.hpp"
#include "distributed/collectives.hpp"

namespace xf {

namespace {

void check(ncclResult_t result) {
  if (result != ncclSuccess && result != ncclInProgress)
    throw cuda::DeviceError(std::string("cuda: NCCL: ") + ncclGetErrorString(result));
}

// Process 0 creates the id by which NCCL recognises the members of the group.
ncclUniqueId id_of_first(Endpoint& self) {
  ncclUniqueId id = {};
  if (self.rank() == 0) check(ncclGetUniqueId(&id));
  const std::string bytes = bytes_of(self, 0, {id.internal, sizeof id.internal});
  std::memcpy(id.internal, bytes.data(), sizeof id.internal);
  return id;
}

class Nccl : public DeviceSums {
 public:
  explicit Nccl(Endpoint& self) {
    check(ncclCommInitRank(&all_, self.ranks(), id_of_first(self), self.rank()));
  }
  ~Nccl() override { ncclCommAbort(all_); }  // does not wait for the others
  Nccl(const Nccl&) = delete;
  Nccl& operator=(const Nccl&) = delete;

  // As one group, so that NCCL launches only a few kernels for all of them.
  void add_up(std::span<const Numbers> numbers) override {
    ncclResult_t before = ncclSuccess;
    check(ncclCommGetAsyncError(all_, &before));
    check(before);
    check(ncclGroupStart());
    for (const auto& [data, count] : numbers)
      check(ncclAllReduce(data, data, static_cast<std::size_t>(count), ncclFloat32, ncclSum, all_,
                          cuda::stream()));
    check(ncclGroupEnd());
  }

 private:
  ncclComm_t all_ = nullptr;
};

}  // namespace

std::unique_ptr<DeviceSums> join_devices(Endpoint& self) { return std::make_unique<Nccl>(self); }

}  // namespace xf
