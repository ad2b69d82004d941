#pragma once

#include <fstream>
#include <string>

namespace xf::test {

// The most memory that this process has taken since the last reset_peak_memory().
inline double peak_mebibytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) return std::stod(line.substr(6)) / 1024;
  return 0;
}

inline void reset_peak_memory() { std::ofstream("/proc/self/clear_refs") << 5; }

}  // namespace xf::test
