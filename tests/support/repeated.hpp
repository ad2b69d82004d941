#pragma once

#include <string>

namespace xf::test {

inline std::string repeated(const std::string& part, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += part;
  return all;
}

}  // namespace xf::test
