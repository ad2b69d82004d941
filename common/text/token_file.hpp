#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace xf {

// The ids of a text on the disk: a temporary file without a name, which is gone when the last copy
// of this handle is. What is read at once is all that takes memory.
class TokenFile {
 public:
  TokenFile();  // empty. Throws UserError when there can be no temporary file.
  explicit TokenFile(std::span<const std::int32_t> ids) : TokenFile() {
    for (std::int32_t id : ids) append(id);
  }

  // Throws UserError when the disk is full.
  void append(std::int32_t id);
  std::ptrdiff_t size() const { return size_; }
  // The ids [begin, begin + count); several threads may read. Throws std::invalid_argument for
  // ids that are not there.
  std::vector<std::int32_t> read(std::ptrdiff_t begin, std::ptrdiff_t count) const;

 private:
  struct File;
  std::shared_ptr<File> file_;
  std::ptrdiff_t size_ = 0;
};

}  // namespace xf
