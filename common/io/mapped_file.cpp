#include "io/mapped_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>

#include "tensor/error.hpp"

namespace xf {

namespace {

// Reading a mapped file that another program has truncated raises SIGBUS. The handler, which must
// not allocate, looks up the mapped files here.
struct Mapped {
  std::atomic<const char*> begin = nullptr;
  std::size_t size = 0;
  std::string message = {};
};
std::array<Mapped, 256> all_mapped;  // beyond that number, SIGBUS ends the program as usual

void on_bus_error(int signal, siginfo_t* info, void*) {
  const char* at = static_cast<const char*>(info->si_addr);
  for (const Mapped& mapped : all_mapped) {
    const char* begin = mapped.begin.load();
    if (!begin || at < begin || at >= begin + mapped.size) continue;
    [[maybe_unused]] const ssize_t written =
        ::write(STDERR_FILENO, mapped.message.data(), mapped.message.size());
    ::_exit(2);
  }
  std::signal(signal, SIG_DFL);  // the fault recurs and ends the program
}

const char* being_written = "";  // reserved, not yet filled

Mapped* remember(const char* begin, std::size_t size, const std::string& path) {
  static const bool handled = [] {
    struct sigaction action = {};
    action.sa_sigaction = on_bus_error;
    action.sa_flags = SA_SIGINFO;
    return ::sigaction(SIGBUS, &action, nullptr) == 0;
  }();
  for (Mapped& mapped : all_mapped) {
    const char* free = nullptr;
    if (!handled || !mapped.begin.compare_exchange_strong(free, being_written)) continue;
    mapped.size = size;
    mapped.message =
        MappedFile::error_line(words("{}: the file became shorter while it was read", path)) + '\n';
    mapped.begin = begin;
    return &mapped;
  }
  return nullptr;
}

}  // namespace

MappedFile::MappedFile(const std::string& path) {
  const auto fail = [&](const Phrase& reason) { throw UserError("{}: {}", path, reason); };
  struct stat status = {};
  if (::stat(path.c_str(), &status) != 0) fail(std::strerror(errno));
  if (S_ISDIR(status.st_mode)) fail(std::strerror(EISDIR));
  if (!S_ISREG(status.st_mode)) fail("not a regular file");
  size_ = static_cast<std::size_t>(status.st_size);
  if (size_ == 0) return;  // there is nothing to map
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) fail(std::strerror(errno));
  void* const mapped = ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
  const int error = errno;
  ::close(file);
  if (mapped == MAP_FAILED) fail(std::strerror(error));
  auto* const begin = static_cast<char*>(mapped);
  Mapped* const place = remember(begin, size_, path);
  bytes_ = {begin, [size = size_, place](char* bytes) {
              if (place) place->begin = nullptr;
              ::munmap(bytes, size);
            }};
}

std::shared_ptr<void> MappedFile::lend(std::string_view part) const {
  return {bytes_, bytes_.get() + (part.data() - bytes_.get())};
}

void MappedFile::drop(std::string_view part) const {
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<std::uintptr_t>(part.data()), end = begin + part.size();
  const std::uintptr_t first = (begin + page - 1) / page * page, last = end / page * page;
  if (first < last) ::madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
}

}  // namespace xf
