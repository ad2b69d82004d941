#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "language/language.hpp"

namespace xf {

// The bytes of a file, which the system loads on first access and may drop again. Writing to them
// changes a private copy, not the file.
class MappedFile {
 public:
  // Throws UserError naming the path and the system's reason, unless it is a regular file.
  explicit MappedFile(const std::string& path);
  // The message printed when a mapped file is truncated while in use, which ends the program with
  // exit code 2.
  static inline std::string (*error_line)(const Phrase& message) = [](const Phrase& message) {
    return "error: " + message.english();
  };

  std::string_view bytes() const { return {bytes_.get(), size_}; }
  // The beginning of `part`, a view into bytes(); the file stays mapped while this pointer lives.
  std::shared_ptr<void> lend(std::string_view part) const;
  // Says that `part` will not be read again soon: the system may reclaim its memory.
  void drop(std::string_view part) const;

 private:
  std::shared_ptr<char> bytes_;
  std::size_t size_ = 0;
};

}  // namespace xf
