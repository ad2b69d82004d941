#include "io/free_memory.hpp"

#include <fstream>

#include "io/printable.hpp"
#include "tensor/error.hpp"

namespace xf {

double free_memory() {
  std::ifstream info("/proc/meminfo");
  std::string name;
  for (double kilobytes = 0; info >> name >> kilobytes;) {
    if (name == "MemAvailable:") return 1024 * kilobytes;
    std::getline(info, name);
  }
  return 0;
}

void check_memory(const Phrase& what, double bytes) {
  const auto gibibytes = [](double n) { return formatted("%.1f GiB", n / (1024.0 * 1024 * 1024)); };
  const double free = free_memory();
  if (free > 0 && bytes > free)
    throw UserError("{} needs about {}, but only {} is free", what, gibibytes(bytes),
                    gibibytes(free));
}

}  // namespace xf
