#pragma once

#include "tensor/parallel.hpp"

namespace xf::test {

// So many threads while it lives; then as many as before.
struct Threads {
  int before = threads();
  explicit Threads(int count = threads()) { set_threads(count); }
  ~Threads() { set_threads(before); }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;
};

}  // namespace xf::test
