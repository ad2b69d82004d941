#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "distributed/endpoint.hpp"

namespace xf {

// Sums of numbers on the GPUs of several processes, one GPU each. They go from GPU to GPU without
// passing through the host's memory. All calls of NCCL are in nccl.cu.
class DeviceSums {
 public:
  struct Numbers {
    float* data;  // on the device
    std::ptrdiff_t count;
  };

  virtual ~DeviceSums() = default;
  // x <- the sum of every process's x, in whatever order is fastest, but with the same bits in all;
  // as many x, and as long, everywhere. Runs after the work queued on the device before; the host
  // does not wait for it. Throws cuda::DeviceError, which names NCCL.
  virtual void add_up(std::span<const Numbers> all) = 0;
};

// Null where the program was built without NCCL. All processes must call it: they exchange messages
// to form a group.
std::unique_ptr<DeviceSums> join_devices(Endpoint& self);

}  // namespace xf
