#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdlib>
#include <string_view>

#include "tensor/arithmetic.hpp"

// The cases run in `same` arithmetic, or with XF_ARITHMETIC=fast in the other.
int main(int argc, char** argv) {
  const char* arithmetic = std::getenv("XF_ARITHMETIC");
  if (arithmetic && std::string_view(arithmetic) == "fast")
    xf::set_arithmetic(xf::Arithmetic::fast);
  return doctest::Context(argc, argv).run();
}
