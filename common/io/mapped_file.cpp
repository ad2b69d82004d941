#include "io/mapped_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "tensor/error.hpp"

namespace xf {

MappedFile::MappedFile(const std::string& path) {
  const auto fail = [&](const std::string& reason) { throw UserError(path + ": " + reason); };
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
  bytes_ = {static_cast<char*>(mapped), [size = size_](char* bytes) { ::munmap(bytes, size); }};
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
