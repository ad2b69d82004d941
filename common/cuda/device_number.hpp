#pragma once

namespace xf::cuda {

// Which of a machine's GPUs this program uses, modulo how many there are; to be set before the
// first use of it. Several processes on a machine have one each (distributed/processes.hpp).
inline int device_number = 0;

}  // namespace xf::cuda
