#include "tensor/openblas.hpp"

#include <dlfcn.h>
#include <sys/mman.h>

// Must be first: xtensor-blas 0.21 tests for CBLAS before it defines that it is available, and
// without it multiplies in its own loops.
#include <xtensor-blas/xblas_config.hpp>

#include <xtensor-blas/xblas.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <mutex>
#include <set>
#include <string_view>
#include <thread>
#include <vector>

#include "tensor/error.hpp"

extern "C" void* blas_memory_alloc(int place);
extern "C" void blas_memory_free(void* buffer);
extern "C" void openblas_set_num_threads(int count);
extern "C" char* openblas_get_corename();

namespace xf::openblas {

int lanes() {
  static const int count = [] {
    const std::string_view core = openblas_get_corename();
    for (const char* name : {"SkylakeX", "Cooperlake", "SapphireRapids"})
      if (core == name) return 16;
    for (const char* name : {"Haswell", "Zen", "Excavator", "Steamroller", "Piledriver"})
      if (core == name) return 8;
    return 4;
  }();
  return count;
}

// An OpenBLAS built on OpenMP has a separate thread count for each calling thread.
void use_one_thread() {
  using SetThreads = void (*)(int);
  if (const auto set = reinterpret_cast<SetThreads>(dlsym(RTLD_DEFAULT, "omp_set_num_threads")))
    set(1);
  openblas_set_num_threads(1);
}

bool has_room(std::size_t buffers) {
  const std::size_t bytes = buffers * ((std::size_t{128} << 20) + (1 << 16));
  void* const trial =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (trial == MAP_FAILED) return false;
  munmap(trial, bytes);
  return true;
}

namespace {

std::mutex mutex;  // of the following
std::ptrdiff_t users = 0;
std::set<void*> buffers;  // all that OpenBLAS has allocated, free or in use

// Counts a thread that multiplies.
struct User {
  bool ready = false;
  User() {
    const std::lock_guard lock(mutex);
    ++users;
  }
  ~User() {
    const std::lock_guard lock(mutex);
    --users;
  }
};

void bring_one() {
  // OpenBLAS's own threads may be about to allocate, too: if memory is tight, let them go first.
  if (!has_room(std::max(2u, std::thread::hardware_concurrency())))
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
  if (!has_room(1))
    throw UserError(
        "there is not enough memory for this: a matrix product needs 128 MiB of addresses for each "
        "thread (ulimit -v)");
  std::vector<void*> held;  // the free ones, and then a new one
  do held.push_back(blas_memory_alloc(0));
  while (!buffers.insert(held.back()).second);
  for (void* const buffer : held) blas_memory_free(buffer);
}

}  // namespace

void bring_buffer() {
  thread_local User user;
  if (user.ready) return;
  const std::lock_guard lock(mutex);
  while (std::ssize(buffers) < users) bring_one();
  user.ready = true;
}

// Through xtensor-blas.
void gemm(int m, int n, int k, const Operand& a, const Operand& b, float* c,
          std::ptrdiff_t c_stride, bool sum) {
  bring_buffer();
  using cxxblas::NoTrans, cxxblas::RowMajor, cxxblas::Trans;
  cxxblas::gemm<int>(RowMajor, a.transposed ? Trans : NoTrans, b.transposed ? Trans : NoTrans, m, n,
                     k, 1.0f, a.data, int(a.stride), b.data, int(b.stride), sum ? 1.0f : 0.0f, c,
                     int(c_stride));
}

}  // namespace xf::openblas
