#include "io/files.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

#include "io/free_memory.hpp"

namespace xf {

namespace {

[[noreturn]] void fail(const std::string& path, int error) {
  throw UserError("{}: {}", path, std::strerror(error));
}

// An open file; closed at the end of the scope unless it was closed before.
struct Descriptor {
  int number;
  explicit Descriptor(int opened) : number(opened) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int close() { return number < 0 ? 0 : ::close(std::exchange(number, -1)); }
};

// Removes a temporary file, unless it has become the real one.
struct Temporary {
  std::string path;
  bool kept = false;
  ~Temporary() {
    if (!kept) ::unlink(path.c_str());
  }
};

constexpr std::string_view temporary_mark = ".tmp";

// A name next to `target` that no other thread or process uses: "<target>.tmp<process>-<number>".
std::string temporary_name(const std::string& target) {
  static std::atomic<unsigned> counter{0};
  return target + std::string(temporary_mark) + std::to_string(::getpid()) + "-" +
         std::to_string(counter++);
}

// Does `name` have the form of a temporary_name()?
bool is_temporary(std::string_view name) {
  const auto digits = [](std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
  };
  const std::size_t mark = name.rfind(temporary_mark), dash = name.rfind('-');
  if (mark == std::string_view::npos || dash == std::string_view::npos || dash < mark) return false;
  const std::size_t process = mark + temporary_mark.size();
  return digits(name.substr(process, dash - process)) && digits(name.substr(dash + 1));
}

// The file to which `path` refers, following links, even if the last one points to nothing yet.
std::string resolved(const std::string& path) {
  namespace fs = std::filesystem;
  fs::path target = path;
  std::error_code error;
  for (int links = 0; fs::is_symlink(fs::symlink_status(target, error)); ++links) {
    const fs::path next = fs::read_symlink(target, error);
    if (error) fail(path, error.value());
    if (links == 40) fail(path, ELOOP);
    target = target.parent_path() / next;
  }
  return target.string();
}

// The permissions of a new file that replaces `target`; 0: no such file exists, and the umask
// decides. Throws if the existing one is not a regular file; messages name `path`.
mode_t mode_of(const std::string& target, const std::string& path) {
  struct stat status = {};
  if (::stat(target.c_str(), &status) != 0) {
    if (errno != ENOENT) fail(path, errno);
    return 0;
  }
  if (S_ISDIR(status.st_mode)) fail(path, EISDIR);
  if (!S_ISREG(status.st_mode)) throw UserError("{}: {}", path, "not a regular file");
  return status.st_mode & 07777;
}

std::string parent_of(const std::string& path) {
  const std::string parent = std::filesystem::path(path).parent_path().string();
  return parent.empty() ? "." : parent;
}

// Makes a rename in the directory of `path` survive a power cut, where the system can.
void sync_directory(const std::string& path) {
  const Descriptor directory(::open(parent_of(path).c_str(), O_RDONLY | O_DIRECTORY));
  if (directory.number >= 0) ::fsync(directory.number);
}

}  // namespace

void write_all(int file, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t written =
        ::write(file, bytes.data(), std::min(bytes.size(), std::size_t{1} << 30));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(path, errno);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

InputFile::InputFile(const std::string& path)
    : path_(path), descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (descriptor_ < 0) fail(path, errno);
  struct stat status = {};
  const int error = ::fstat(descriptor_, &status) != 0 ? errno : 0;
  const bool device = S_ISBLK(status.st_mode) || (S_ISCHR(status.st_mode) && !isatty(descriptor_));
  if (error == 0 && !S_ISDIR(status.st_mode) && !device) {
    if (S_ISREG(status.st_mode)) size_ = static_cast<std::size_t>(status.st_size);
    return;
  }
  ::close(descriptor_);
  if (device) throw UserError("{}: a device, not a file", path);
  fail(path, error != 0 ? error : EISDIR);
}

InputFile::InputFile(StandardInput)
    : path_("standard input"), descriptor_(STDIN_FILENO), standard_input_(true) {}

InputFile::~InputFile() {
  if (!standard_input_) ::close(descriptor_);
}

std::size_t InputFile::read(char* bytes, std::size_t room) {
  while (true) {
    const ssize_t got = ::read(descriptor_, bytes, room);
    if (got >= 0) return last_read_ = static_cast<std::size_t>(got);
    if (errno == EINTR) continue;
    if (standard_input_) throw UserError("standard input cannot be read");
    fail(path_, errno);
  }
}

bool InputFile::waiting() const {
  constexpr std::size_t page = 4096;  // a program writes at least this at a time, a person less
  constexpr int moment = 20;          // ms
  pollfd file = {descriptor_, POLLIN, 0};
  return ::poll(&file, 1, last_read_ >= page ? moment : 0) != 0;
}

std::string read_file(const std::string& path) {
  InputFile file(path);
  std::string content;
  const auto grow = [&](std::size_t size) {
    check_memory(words("{}:", path), static_cast<double>(size));
    content.resize(size);
  };
  // One byte more than expected, so that the last read() reaches the end of the file.
  grow(file.size() > 0 ? file.size() + 1 : 65536);
  std::size_t size = 0;
  while (const std::size_t got = file.read(content.data() + size, content.size() - size)) {
    size += got;
    if (size == content.size()) grow(2 * size);
  }
  content.resize(size);
  return content;
}

void write_file_atomically(const std::string& path, std::string_view content) {
  write_file_atomically(path, std::vector<std::string_view>{content});
}

// Opens the temporary file beside `target` for writing. Messages call it `path`.
static int begun(Temporary& temporary, const std::string& path) {
  const int file = ::open(temporary.path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file >= 0) return file;
  temporary.kept = true;  // there is nothing to remove
  fail(path, errno);
}

void write_file_atomically(const std::string& path, const std::vector<std::string_view>& parts) {
  const std::string target = resolved(path);
  const mode_t mode = mode_of(target, path);
  Temporary temporary{temporary_name(target)};
  Descriptor file(begun(temporary, path));
  if (mode != 0 && ::fchmod(file.number, mode) != 0) fail(path, errno);
  for (std::string_view part : parts) write_all(file.number, part, path);
  if (::fsync(file.number) != 0) fail(path, errno);
  if (file.close() != 0) fail(path, errno);
  if (::rename(temporary.path.c_str(), target.c_str()) != 0) fail(path, errno);
  temporary.kept = true;
  sync_directory(target);
}

void require_writable(const std::string& path) {
  const std::string target = resolved(path);
  mode_of(target, path);
  Temporary temporary{temporary_name(target)};
  const Descriptor file(begun(temporary, path));
}

void remove_temporaries(const std::string& directory) {
  for (const std::string& name : directory_entries(directory)) {
    const std::string path = directory + "/" + name;
    std::error_code error;
    if (is_temporary(name)) remove_all(path);
    if (!std::filesystem::is_symlink(path, error) || is_directory(path)) continue;
    const std::string target = resolved(path), parent = parent_of(target);
    const std::string stem = std::filesystem::path(target).filename().string();
    for (const std::string& other : directory_entries(parent))
      if (is_temporary(other) && other.starts_with(stem + std::string(temporary_mark)))
        remove_all(parent + "/" + other);
  }
}

void make_directory(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error)
    throw UserError("{}: the directory cannot be created: {}", path, error.message().c_str());
  if (!is_directory(path)) fail(path, ENOTDIR);
}

bool exists(const std::string& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::not_found) return false;
  if (error) fail(path, error.value());
  return true;
}

bool is_directory(const std::string& path) {
  std::error_code error;
  return std::filesystem::is_directory(path, error);
}

std::vector<std::string> directory_entries(const std::string& path) {
  std::vector<std::string> names;
  if (!exists(path)) return names;
  std::error_code error;
  std::filesystem::directory_iterator entry(path, error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error))
    names.push_back(entry->path().filename().string());
  if (error) fail(path, error.value());
  std::sort(names.begin(), names.end());
  return names;
}

void remove_all(const std::string& path) {
  std::error_code error;
  std::filesystem::remove_all(path, error);
  if (error) throw UserError("{}: cannot be removed: {}", path, error.message().c_str());
}

}  // namespace xf
