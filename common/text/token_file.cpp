#include "text/token_file.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>

#include "io/files.hpp"
#include "tensor/error.hpp"

namespace xf {

namespace {

UserError problem(const std::string& path) {
  return UserError("{}: {}", path, std::strerror(errno));
}

std::string name_pattern() {
  std::error_code error;
  const std::filesystem::path directory = std::filesystem::temp_directory_path(error);
  if (error)
    throw UserError("TMPDIR: no directory for temporary files: {}", error.message().c_str());
  return (directory / "tokens.XXXXXX").string();
}

}  // namespace

struct TokenFile::File {
  std::string path = name_pattern();
  int descriptor = ::mkstemp(path.data());
  std::vector<std::int32_t> unwritten;  // the newest ids

  File() {
    if (descriptor < 0) throw problem(path);
    ::unlink(path.c_str());
  }
  ~File() { ::close(descriptor); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  void write() {
    const char* bytes = reinterpret_cast<const char*>(unwritten.data());
    write_all(descriptor, {bytes, unwritten.size() * sizeof(std::int32_t)}, path);
    unwritten.clear();
  }

  // Reads `count` ids that have been written to the file.
  void read(std::ptrdiff_t begin, std::ptrdiff_t count, std::int32_t* ids) const {
    char* next = reinterpret_cast<char*>(ids);
    auto left = static_cast<std::size_t>(count) * sizeof(std::int32_t);
    auto at = static_cast<off_t>(begin) * static_cast<off_t>(sizeof(std::int32_t));
    while (left > 0) {
      const ssize_t got = ::pread(descriptor, next, left, at);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) throw problem(path);
      next += got;
      at += got;
      left -= static_cast<std::size_t>(got);
    }
  }
};

TokenFile::TokenFile() : file_(std::make_shared<File>()) {}

void TokenFile::append(std::int32_t id) {
  file_->unwritten.push_back(id);
  ++size_;
  if (file_->unwritten.size() == 1 << 14) file_->write();
}

std::vector<std::int32_t> TokenFile::read(std::ptrdiff_t begin, std::ptrdiff_t count) const {
  if (begin < 0 || count < 0 || begin + count > size_)
    throw std::invalid_argument("token_file: the ids [" + std::to_string(begin) + ", " +
                                std::to_string(begin + count) + ") of " + std::to_string(size_));
  const std::ptrdiff_t written = size_ - std::ssize(file_->unwritten);
  std::vector<std::int32_t> ids(static_cast<std::size_t>(count));
  const std::ptrdiff_t stored = std::max<std::ptrdiff_t>(0, std::min(count, written - begin));
  file_->read(begin, stored, ids.data());
  for (std::ptrdiff_t i = stored; i < count; ++i)
    ids[static_cast<std::size_t>(i)] =
        file_->unwritten[static_cast<std::size_t>(begin + i - written)];
  return ids;
}

}  // namespace xf
