#include "distributed/nccl.hpp"

namespace xf {

std::unique_ptr<DeviceSums> join_devices(Endpoint&) { return nullptr; }

}  // namespace xf
