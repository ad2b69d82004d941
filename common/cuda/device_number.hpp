#pragma once

namespace xf::cuda {

// Which of a machine's GPUs this program uses, modulo their number; to be set before its first
// use. Several processes on a machine have one each (distributed/processes.hpp).
inline int device_number = 0;

}  // namespace xf::cuda
