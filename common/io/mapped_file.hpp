#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "language/language.hpp"

namespace xf {

// The bytes of a file, which the system reads into memory on first access, and may drop again.
// Writing to them changes a private copy, not the file.
class MappedFile {
 public:
  // Throws UserError naming the path, with the system's reason, unless it is a regular file.
  explicit MappedFile(const std::string& path);
  // The message of a program when a mapped file was truncated while in use, which ends it with
  // code 2.
  static inline std::string (*error_line)(const Phrase& message) = [](const Phrase& message) {
    return "error: " + message.english();
  };

  std::string_view bytes() const { return {bytes_.get(), size_}; }
  // The beginning of `part`, a view into bytes(); the file stays mapped as long as this lives.
  std::shared_ptr<void> lend(std::string_view part) const;
  // Says that `part` will not be read again soon: the system may reclaim its memory.
  void drop(std::string_view part) const;

 private:
  std::shared_ptr<char> bytes_;
  std::size_t size_ = 0;
};

}  // namespace xf
