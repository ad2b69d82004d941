#pragma once

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

namespace xf::test {

// A directory of this test's own, removed at the end.
struct TemporaryDirectory {
  std::string path = (std::filesystem::temp_directory_path() / "xf-test-XXXXXX").string();

  TemporaryDirectory() {
    if (!mkdtemp(path.data())) throw std::runtime_error("no temporary directory");
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  std::string operator/(const std::string& name) const { return path + "/" + name; }
  // Writes a file in it and returns the file's path.
  std::string file(const std::string& name, const std::string& bytes) const {
    std::ofstream(*this / name, std::ios::binary) << bytes;
    return *this / name;
  }
  // How many files and directories it has.
  int entries() const {
    return static_cast<int>(std::distance(std::filesystem::directory_iterator(path), {}));
  }
};

}  // namespace xf::test
