#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "distributed/endpoint.hpp"

namespace xf {

// Sums over the GPUs of several processes, one GPU each. The numbers go from GPU to GPU without
// passing through host memory. All NCCL calls are in nccl.cu.
class DeviceSums {
 public:
  struct Numbers {
    float* data;  // on the device
    std::ptrdiff_t count;
  };

  virtual ~DeviceSums() = default;
  // x <- the sum of every process's x, in whatever order is fastest, but identical bits in all;
  // each must pass as many x, of the same lengths. Runs after the work queued on the device so far;
  // the host does not wait for it. Throws cuda::DeviceError, which names NCCL.
  virtual void add_up(std::span<const Numbers> all) = 0;
};

// Null if the program was built without NCCL. All processes must call it, because they exchange
// messages to form a group.
std::unique_ptr<DeviceSums> join_devices(Endpoint& self);

}  // namespace xf
