#include "io/free_memory.hpp"

#include <cstdio>
#include <fstream>

#include "tensor/error.hpp"

namespace xf {

namespace {

std::string gibibytes(double bytes) {
  char text[64];
  std::snprintf(text, sizeof text, "%.1f GiB", bytes / (1024.0 * 1024 * 1024));
  return text;
}

}  // namespace

double free_memory() {
  std::ifstream info("/proc/meminfo");
  std::string name;
  for (double kilobytes = 0; info >> name >> kilobytes;) {
    if (name == "MemAvailable:") return 1024 * kilobytes;
    std::getline(info, name);
  }
  return 0;
}

void check_memory(const std::string& what, double bytes) {
  const double free = free_memory();
  if (free > 0 && bytes > free)
    throw UserError(what + " needs about " + gibibytes(bytes) + ", " + gibibytes(free) +
                    " are free");
}

}  // namespace xf
