#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "language/language.hpp"

namespace xf {

// The bytes of a file, which the system reads into memory when they are looked at, and may drop
// again. Whoever writes to them changes a copy of his own, not the file.
class MappedFile {
 public:
  // Throws UserError naming the path, with the system's reason, for what is no regular file.
  explicit MappedFile(const std::string& path);
  // How a program says that a mapped file became shorter, which ends it with 2: it has no bytes any
  // more where somebody looks for them.
  static inline std::string (*error_line)(const Phrase& message) = [](const Phrase& message) {
    return "error: " + message.english();
  };

  std::string_view bytes() const { return {bytes_.get(), size_}; }
  // Where `part`, a view into bytes(), begins; the file stays mapped as long as this lives.
  std::shared_ptr<void> lend(std::string_view part) const;
  // Says that `part` will not be read again soon: its memory is free for others.
  void drop(std::string_view part) const;

 private:
  std::shared_ptr<char> bytes_;
  std::size_t size_ = 0;
};

}  // namespace xf
