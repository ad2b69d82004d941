#pragma once

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "support/errors.hpp"
#include "support/temporary.hpp"

namespace xf::test {

// A file of the shared data sets: in $XF_DATA, else in shared/data beside the repository. "" and a
// message when it is not there, so that the test can skip.
inline std::string shared_data(const std::string& name) {
  const char* set = std::getenv("XF_DATA");
  const auto directory = std::filesystem::path(set ? set : XF_SOURCE_DIR "/../shared/data");
  const auto path = directory / name;
  if (std::filesystem::exists(path)) return path.string();
  MESSAGE("skipped: no " << name << " in $XF_DATA");
  return "";
}

}  // namespace xf::test
