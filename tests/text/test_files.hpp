#pragma once

#include <doctest/doctest.h>

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tensor/error.hpp"

namespace xf::test {

// A directory of its own for a test, removed with the scope.
struct TemporaryDirectory {
  std::string path;

  TemporaryDirectory() {
    std::string pattern = (std::filesystem::temp_directory_path() / "xf-test-XXXXXX").string();
    REQUIRE(mkdtemp(pattern.data()) != nullptr);
    path = pattern;
  }
  ~TemporaryDirectory() { std::filesystem::remove_all(path); }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  // Writes a file in it and returns the file's path.
  std::string file(const std::string& name, const std::string& bytes) const {
    std::ofstream(path + "/" + name, std::ios::binary) << bytes;
    return path + "/" + name;
  }
};

inline std::string content(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// What the UserError says that action() throws; "" when it throws none.
template <class Action>
std::string user_error(Action action) {
  try {
    action();
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

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
