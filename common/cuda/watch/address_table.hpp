#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <new>

namespace xf::watch {

// An array as large as an address space, of which only the used part occupies memory. Initially all
// zero.
template <class T>
class AddressTable {
 public:
  explicit AddressTable(std::size_t count)
      : bytes_(count * sizeof(T)),
        first_(mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {
    if (first_ == MAP_FAILED) throw std::bad_alloc();
  }
  ~AddressTable() { munmap(first_, bytes_); }
  AddressTable(const AddressTable&) = delete;
  AddressTable& operator=(const AddressTable&) = delete;

  T& operator[](std::size_t i) { return static_cast<T*>(first_)[i]; }

 private:
  std::size_t bytes_;
  void* first_;
};

}  // namespace xf::watch
