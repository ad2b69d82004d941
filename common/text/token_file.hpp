#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace xf {

// The ids of a text on disk, in an unnamed temporary file that is deleted with the last copy of
// this handle. Only the ids that are being read take memory.
class TokenFile {
 public:
  TokenFile();  // empty. Throws UserError when no temporary file can be created.
  explicit TokenFile(std::span<const std::int32_t> ids) : TokenFile() {
    for (std::int32_t id : ids) append(id);
  }

  // Throws UserError when the disk is full.
  void append(std::int32_t id);
  std::ptrdiff_t size() const { return size_; }
  // The ids [begin, begin + count); several threads may read. Throws std::invalid_argument for
  // ids beyond the end.
  std::vector<std::int32_t> read(std::ptrdiff_t begin, std::ptrdiff_t count) const;

 private:
  struct File;
  std::shared_ptr<File> file_;
  std::ptrdiff_t size_ = 0;
};

}  // namespace xf
