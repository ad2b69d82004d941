#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tensor/error.hpp"

namespace xf {

// All of these throw UserError naming the path, with the system's reason.

// A file that is read from its beginning. Directories are refused, and devices other than
// terminals: /dev/zero never ends.
class InputFile {
 public:
  explicit InputFile(const std::string& path);
  // Standard input, of any kind.
  struct StandardInput {};
  explicit InputFile(StandardInput);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  // How many bytes a regular file has; 0 for a pipe, whose length is unknown.
  std::size_t size() const { return size_; }
  // Fills at most `room` bytes and returns how many; 0: the file has ended.
  std::size_t read(char* bytes, std::size_t room);
  // Would read() return at once? For a pipe or a terminal: has something been written to it? A
  // writer that has just written a page or more gets a moment to continue.
  bool waiting() const;

 private:
  [[noreturn]] void fail(int error) const;

  std::string path_;
  int descriptor_;
  bool standard_input_ = false;
  std::size_t size_ = 0, last_read_ = 0;
};

// The bytes of a file.
std::string read_file(const std::string& path);

// Writes all bytes to an open file, which errors call `path`.
void write_all(int file, std::string_view bytes, const std::string& path);

// Replaces `path` by `content`, or leaves it as it was: the bytes go to a temporary file in the
// same directory, reach the disk (fsync), and only then get the name (rename). A symbolic link
// is followed; what exists and is no regular file (a directory, /dev/null) is refused.
void write_file_atomically(const std::string& path, std::string_view content);
// The same for a content in several parts, which are written one after the other.
void write_file_atomically(const std::string& path, const std::vector<std::string_view>& parts);

// Throws what write_file_atomically() would throw where it cannot even begin: before hours of work.
void require_writable(const std::string& path);

// Removes what write_file_atomically() leaves in a directory, or beside a file that a link in it
// leads to, when the program is killed.
void remove_temporaries(const std::string& directory);

// Creates the directory and its parents; it may exist already.
void make_directory(const std::string& path);

// Is there a file or a directory of this name? A link counts as what it leads to.
bool exists(const std::string& path);
bool is_directory(const std::string& path);
// The names in a directory, sorted; none where there is no directory.
std::vector<std::string> directory_entries(const std::string& path);
// Removes a file, or a directory with all that is in it, if it is there.
void remove_all(const std::string& path);

}  // namespace xf
