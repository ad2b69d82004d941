#include "io/files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

namespace xf {

namespace {

[[noreturn]] void fail(const std::string& path, int error) {
  throw UserError(path + ": " + std::strerror(error));
}

// An open file; closed with the scope, unless it was before.
struct Descriptor {
  int number;
  explicit Descriptor(int opened) : number(opened) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int close() { return number < 0 ? 0 : ::close(std::exchange(number, -1)); }
};

void write_all(int file, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t written =
        ::write(file, bytes.data(), std::min(bytes.size(), std::size_t{1} << 30));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(path, errno);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

// Removes a temporary file, unless it has become the real one.
struct Temporary {
  std::string path;
  bool kept = false;
  ~Temporary() {
    if (!kept) ::unlink(path.c_str());
  }
};

// A name next to `target` that no other thread or process uses.
std::string temporary_name(const std::string& target) {
  static std::atomic<unsigned> counter{0};
  return target + ".tmp" + std::to_string(::getpid()) + "-" + std::to_string(counter++);
}

// Where `path` really is, and with which permissions a new file there is made.
std::string resolved(const std::string& path, mode_t& mode) {
  struct stat status = {};
  if (::stat(path.c_str(), &status) != 0) {
    if (errno != ENOENT) fail(path, errno);
    return path;
  }
  if (S_ISDIR(status.st_mode)) fail(path, EISDIR);
  if (!S_ISREG(status.st_mode)) throw UserError(path + ": not a regular file");
  mode = status.st_mode & 07777;
  return std::filesystem::canonical(path).string();
}

// Makes a rename in the directory of `path` last through a power cut, where the system can.
void sync_directory(const std::string& path) {
  const std::string parent = std::filesystem::path(path).parent_path().string();
  const Descriptor directory(::open(parent.empty() ? "." : parent.c_str(), O_RDONLY | O_DIRECTORY));
  if (directory.number >= 0) ::fsync(directory.number);
}

}  // namespace

std::string read_file(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.number < 0) fail(path, errno);
  struct stat status = {};
  if (::fstat(file.number, &status) != 0) fail(path, errno);
  if (S_ISDIR(status.st_mode)) fail(path, EISDIR);
  std::string content;
  std::size_t size = 0;
  // One byte more than expected, so that the last read() meets the end of the file.
  std::size_t room = S_ISREG(status.st_mode) ? static_cast<std::size_t>(status.st_size) + 1 : 65536;
  while (true) {
    if (size == content.size()) content.resize(size == 0 ? room : 2 * size);
    const ssize_t got = ::read(file.number, content.data() + size, content.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(path, errno);
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  content.resize(size);
  return content;
}

void write_file_atomically(const std::string& path, std::string_view content) {
  write_file_atomically(path, std::vector<std::string_view>{content});
}

void write_file_atomically(const std::string& path, const std::vector<std::string_view>& parts) {
  mode_t mode = 0;  // 0: a new file, as the process's umask has it
  const std::string target = resolved(path, mode);
  Temporary temporary{temporary_name(target)};
  Descriptor file(::open(temporary.path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (file.number < 0) {
    temporary.kept = true;  // there is nothing to remove
    fail(path, errno);
  }
  if (mode != 0 && ::fchmod(file.number, mode) != 0) fail(path, errno);
  for (std::string_view part : parts) write_all(file.number, part, path);
  if (::fsync(file.number) != 0) fail(path, errno);
  if (file.close() != 0) fail(path, errno);
  if (::rename(temporary.path.c_str(), target.c_str()) != 0) fail(path, errno);
  temporary.kept = true;
  sync_directory(target);
}

void make_directory(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) throw UserError(path + ": the directory cannot be created: " + error.message());
  if (!std::filesystem::is_directory(path, error)) fail(path, ENOTDIR);
}

}  // namespace xf
