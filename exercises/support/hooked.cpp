#include <cstddef>
#include <cstring>

// Replaces the C library's functions in files that are compiled with hooks (hooked.hpp).

extern "C" {

void __tsan_read_range(void* first, std::size_t bytes);
void __tsan_write_range(void* first, std::size_t bytes);

void* xf_memcpy(void* to, const void* from, std::size_t bytes) {
  __tsan_read_range(const_cast<void*>(from), bytes);
  __tsan_write_range(to, bytes);
  return std::memcpy(to, from, bytes);
}
void* xf_memmove(void* to, const void* from, std::size_t bytes) {
  __tsan_read_range(const_cast<void*>(from), bytes);
  __tsan_write_range(to, bytes);
  return std::memmove(to, from, bytes);
}
void* xf_memset(void* to, int byte, std::size_t bytes) {
  __tsan_write_range(to, bytes);
  return std::memset(to, byte, bytes);
}
int xf_memcmp(const void* a, const void* b, std::size_t bytes) {
  __tsan_read_range(const_cast<void*>(a), bytes);
  __tsan_read_range(const_cast<void*>(b), bytes);
  return std::memcmp(a, b, bytes);
}

}  // extern "C"
