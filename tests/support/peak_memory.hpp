#pragma once

#include <sys/resource.h>

namespace xf::test {

// The most memory that this process has taken so far.
inline double peak_mebibytes() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

}  // namespace xf::test
