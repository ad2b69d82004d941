#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "cuda/emulator.hpp"
#include "cuda/watcher.hpp"

// The functions that g++ calls in kernels compiled with -fsanitize=thread and
// -fsanitize-coverage=trace-pc, before every memory access and in every basic block; and, with
// parts of -fsanitize=undefined, where a thread breaks a rule of C++ that also matters on a GPU.
// None of the sanitizers' own libraries is linked. Outside a kernel, nothing is watched.
namespace {

using xf::emulator::in_kernel;

void access(void* place, std::size_t bytes, bool write, const void* site) {
  if (!in_kernel || place == xf::emulator::in_one_go || xf::emulator::on_fiber(place)) return;
  xf::emulator::notify([&](auto& watcher) { watcher.access(place, bytes, write, site); });
}

template <class T>
T load(const volatile T* place, const void* site) {
  access(const_cast<T*>(place), sizeof(T), false, site);
  return __atomic_load_n(place, __ATOMIC_SEQ_CST);
}
template <class T>
T fetch_add(volatile T* place, T n) {
  void* const at = const_cast<T*>(place);
  if (in_kernel && !xf::emulator::on_fiber(at))
    xf::emulator::notify([&](auto& watcher) { watcher.atomic(at, sizeof(T)); });
  return __atomic_fetch_add(place, n, __ATOMIC_SEQ_CST);
}

// The layouts of libubsan's records.
struct SourceLocation {
  const char* file;
  std::uint32_t line, column;
};
struct TypeMismatch {
  SourceLocation where;
  const void* type;
  unsigned char log_alignment, kind;
};

[[noreturn]] void broken(const SourceLocation& where, const std::string& what) {
  const std::string file = where.file;
  std::string text =
      file.substr(file.rfind('/') + 1) + ":" + std::to_string(where.line) + ": " + what;
  // Reported even if no watcher is active.
  if (xf::emulator::on_fiber(__builtin_frame_address(0))) xf::emulator::broken(std::move(text));
  std::fprintf(stderr, "%s, on the host\n", text.c_str());
  std::abort();
}

// Called before a message is built, which must not be watched as part of the kernel.
const SourceLocation& location(const void* data) {
  xf::emulator::busy = true;
  return *static_cast<const SourceLocation*>(data);  // every record begins with it
}

[[noreturn]] void broken(const void* data, const char* what) {
  const SourceLocation& where = location(data);
  broken(where, what);
}

}  // namespace

#define XF_SITE __builtin_return_address(0)

extern "C" {

void __tsan_init() {}
void __tsan_read1(void* p) { access(p, 1, false, XF_SITE); }
void __tsan_read2(void* p) { access(p, 2, false, XF_SITE); }
void __tsan_read4(void* p) { access(p, 4, false, XF_SITE); }
void __tsan_read8(void* p) { access(p, 8, false, XF_SITE); }
void __tsan_read16(void* p) { access(p, 16, false, XF_SITE); }
void __tsan_write1(void* p) { access(p, 1, true, XF_SITE); }
void __tsan_write2(void* p) { access(p, 2, true, XF_SITE); }
void __tsan_write4(void* p) { access(p, 4, true, XF_SITE); }
void __tsan_write8(void* p) { access(p, 8, true, XF_SITE); }
void __tsan_write16(void* p) { access(p, 16, true, XF_SITE); }
void __tsan_volatile_read1(void* p) { access(p, 1, false, XF_SITE); }
void __tsan_volatile_read4(void* p) { access(p, 4, false, XF_SITE); }
void __tsan_volatile_write4(void* p) { access(p, 4, true, XF_SITE); }
void __tsan_read_range(void* p, std::size_t bytes) { access(p, bytes, false, XF_SITE); }
void __tsan_write_range(void* p, std::size_t bytes) { access(p, bytes, true, XF_SITE); }
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}

// On the host, std::shared_ptr and static variables use these; in a kernel, they are reads and
// atomics like any others.
std::uint8_t __tsan_atomic8_load(const volatile std::uint8_t* p, int) { return load(p, XF_SITE); }
std::uint32_t __tsan_atomic32_load(const volatile std::uint32_t* p, int) {
  return load(p, XF_SITE);
}
// For statics of aarch64.
std::uint64_t __tsan_atomic64_load(const volatile std::uint64_t* p, int) {
  return load(p, XF_SITE);
}
std::uint32_t __tsan_atomic32_fetch_add(volatile std::uint32_t* p, std::uint32_t n, int) {
  return fetch_add(p, n);
}
std::uint64_t __tsan_atomic64_fetch_add(volatile std::uint64_t* p, std::uint64_t n, int) {
  return fetch_add(p, n);
}

void __sanitizer_cov_trace_pc() {
  if (in_kernel && !xf::emulator::in_one_go)
    xf::emulator::notify([site = XF_SITE](auto& watcher) { watcher.enters(site); });
}

void __ubsan_handle_type_mismatch_v1(void* data, void*) {
  const auto& mismatch = *static_cast<const TypeMismatch*>(data);
  const SourceLocation& where = location(data);
  broken(where, "an address that is no multiple of " + std::to_string(1 << mismatch.log_alignment) +
                    " bytes");
}
void __ubsan_handle_out_of_bounds(void* data, void* index) {
  const SourceLocation& where = location(data);
  broken(where, "index " + std::to_string(reinterpret_cast<std::intptr_t>(index)) +
                    " is outside its array");
}
void __ubsan_handle_add_overflow(void* data, void*, void*) {
  broken(data, "a sum overflows its integer type");
}
void __ubsan_handle_sub_overflow(void* data, void*, void*) {
  broken(data, "a difference overflows its integer type");
}
void __ubsan_handle_mul_overflow(void* data, void*, void*) {
  broken(data, "a product overflows its integer type");
}
void __ubsan_handle_negate_overflow(void* data, void*) {
  broken(data, "a negation overflows its integer type");
}
void __ubsan_handle_divrem_overflow(void* data, void*, void*) {
  broken(data, "an integer is divided by 0");
}
void __ubsan_handle_shift_out_of_bounds(void* data, void*, void*) {
  broken(data, "a shift by more bits than there are");
}

}  // extern "C"
