#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tensor/error.hpp"

namespace xf {

// All of these throw UserError naming the path and the system's reason.

// A file that is read from its beginning. Directories are rejected, and so are devices other than
// terminals: /dev/zero never ends.
class InputFile {
 public:
  explicit InputFile(const std::string& path);
  // Standard input, whatever kind of file it is.
  struct StandardInput {};
  explicit InputFile(StandardInput);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  // The size of a regular file in bytes; 0 for a pipe, whose length is unknown.
  std::size_t size() const { return size_; }
  // Reads at most `room` bytes and returns how many; 0: end of file.
  std::size_t read(char* bytes, std::size_t room);
  // Would read() return at once? For a pipe or a terminal: has something been written to it? A
  // writer that has just written a page or more gets a moment to continue.
  bool waiting() const;

 private:
  std::string path_;
  int descriptor_;
  bool standard_input_ = false;
  std::size_t size_ = 0, last_read_ = 0;
};

// The bytes of a file.
std::string read_file(const std::string& path);

// Writes all bytes to an open file; error messages call it `path`.
void write_all(int file, std::string_view bytes, const std::string& path);

// Replaces `path` with `content`, or leaves it unchanged: the bytes go to a temporary file in the
// same directory, are flushed to disk (fsync), and only then get the name (rename). Symbolic links
// are followed; anything else that is not a regular file (a directory, /dev/null) is rejected.
void write_file_atomically(const std::string& path, std::string_view content);
// The same for content in several parts, which are written in order.
void write_file_atomically(const std::string& path, const std::vector<std::string_view>& parts);

// Throws what write_file_atomically() would throw if it cannot even start: before hours of work.
void require_writable(const std::string& path);

// Removes the temporary files that write_file_atomically() leaves behind when the program is
// killed, in a directory or beside a file to which a link in the directory leads.
void remove_temporaries(const std::string& directory);

// Creates the directory and its parents; it may exist already.
void make_directory(const std::string& path);

// Is there a file or a directory with this name? Links are followed.
bool exists(const std::string& path);
bool is_directory(const std::string& path);
// The names in a directory, sorted; empty if the directory does not exist.
std::vector<std::string> directory_entries(const std::string& path);
// Removes a file, or a directory with everything in it, if it exists.
void remove_all(const std::string& path);

}  // namespace xf
