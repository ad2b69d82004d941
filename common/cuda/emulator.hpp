#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <type_traits>

// The environment of a CUDA kernel, for g++ and a machine without a GPU. The threads of a block run
// one at a time, as fibers, each until it waits at a barrier or finishes. A seed determines which
// thread is next, and also the order of the blocks. A kernel that only works because its threads
// happen to run side by side fails with some seed:
//
//   - shared memory and fresh device memory are filled with NaN (as an int: -1), with other seeds
//     with 1e30 or -1e30, which fmaxf and fminf do not ignore; so a number that was never written,
//     or is read too early for lack of a barrier, corrupts the result;
//   - a barrier that not every thread of the block reaches, or that its threads reach at different
//     lines, is an error that names kernel and block; so is a shuffle that a lane in its mask never
//     reaches, whose mask omits the caller or the source lane, or that meets a different shuffle;
//   - device memory is inaccessible outside kernels, a kernel rejects pointers to host memory, and
//     AddressSanitizer detects every access out of bounds;
//   - a block has 48 KiB of dynamic shared memory.
//
// What it cannot detect: two threads that add to one number without an atomic, since no thread is
// preempted between barriers; writes that other threads see late; bank conflicts; time. A static in
// a template would not be filled (g++ leaves it out of the section): tests reject these.

#define __global__
#define __device__
#define __host__
#define __launch_bounds__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __shared__ [[gnu::section("xf_shared")]] static

namespace xf {

struct dim3 {
  unsigned x = 1, y = 1, z = 1;
  constexpr dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {}
};

// The position of the running thread in the grid.
inline dim3 threadIdx, blockIdx, blockDim, gridDim;
constexpr int warpSize = 32;

namespace emulator {

// Thrown when a kernel breaks CUDA's rules. The message names the kernel and the block.
struct BrokenKernel : std::logic_error {
  using std::logic_error::logic_error;
};

// Fixes the order of threads and blocks from now on; the environment variable XF_SCHEDULE sets the
// initial seed.
void set_schedule(std::uint64_t seed);
// From now on, only the last `count` blocks of larger grids run; 0: all. For tests beyond 2^31
// numbers, where running all blocks would take hours.
void run_last_blocks(std::size_t count);

struct Grid {
  const char* kernel;  // its name, for messages
  dim3 blocks, threads;
  std::size_t shared_bytes = 0;  // dynamic shared memory
};

// Runs thread(arguments) for every thread of every block; `bytes` is the size of the arguments.
// Throws BrokenKernel.
void run(const Grid& grid, void (*thread)(const void*), const void* arguments, std::size_t bytes);

// Throws BrokenKernel if argument `number` points to host memory.
void check_pointer(const char* kernel, int number, const void* pointer);
template <class Argument>
void check_argument(const char* kernel, int number, const Argument& argument) {
  if constexpr (std::is_pointer_v<Argument>) check_pointer(kernel, number, argument);
}

// ---- what a thread calls ------------------------------------------------------------------------

// A source line, which distinguishes one barrier or shuffle from another.
struct Line {
  int number;
  explicit constexpr Line(int n) : number(n) {}
};

// The lanes of a warp that wait for each other, and the source line where they do.
struct WarpSync {
  unsigned lanes = ~0u;
  Line line = Line(0);
  bool orders_memory = false;  // as __syncwarp() does; a shuffle does not
  friend bool operator==(const WarpSync& a, const WarpSync& b) {
    return a.lanes == b.lanes && a.line.number == b.line.number;
  }
};

void block_barrier(Line line);
void warp_barrier(const WarpSync& sync = {~0u, Line(__builtin_LINE())});
void fence();
void* dynamic_shared_memory();

// While it is alive, the running thread accesses this address atomically.
struct Atomic {
  Atomic(void* place, std::size_t bytes);
  ~Atomic();
  Atomic(const Atomic&) = delete;
  Atomic& operator=(const Atomic&) = delete;
};

// Each lane passes a number to its warp, waits for the others, and receives that of lane `source`.
std::uint64_t exchange(std::uint64_t bits, int source, const WarpSync& sync);

// The same, but each lane receives the numbers of all 32 lanes.
void gather(std::uint64_t bits, std::uint64_t* of_lanes, Line line = Line(__builtin_LINE()));

// The running thread has broken a rule: run() throws BrokenKernel with this message.
[[noreturn]] void broken(const char* problem);
[[noreturn]] void broken(std::string&& problem);

template <class T>
T exchanged(T value, int source, const WarpSync& sync) {
  static_assert(sizeof(T) <= 8 && std::is_trivially_copyable_v<T>);
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  bits = exchange(bits, source, sync);
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

inline int lane() {
  return static_cast<int>((threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) %
                          warpSize);
}

}  // namespace emulator

inline void __syncthreads(emulator::Line line = emulator::Line(__builtin_LINE())) {
  emulator::block_barrier(line);
}
inline void __syncwarp(unsigned lanes = ~0u,
                       emulator::Line line = emulator::Line(__builtin_LINE())) {
  emulator::warp_barrier({lanes, line, true});
}
// Makes the thread's earlier writes visible to threads that observe one of its later atomics.
inline void __threadfence() { emulator::fence(); }

template <class T>
T __shfl_sync(unsigned lanes, T value, int source,
              emulator::Line line = emulator::Line(__builtin_LINE())) {
  return emulator::exchanged(value, source % warpSize, {lanes, line});
}
template <class T>
T __shfl_xor_sync(unsigned lanes, T value, int mask,
                  emulator::Line line = emulator::Line(__builtin_LINE())) {
  return emulator::exchanged(value, emulator::lane() ^ mask, {lanes, line});
}
template <class T>
T __shfl_down_sync(unsigned lanes, T value, int distance,
                   emulator::Line line = emulator::Line(__builtin_LINE())) {
  const int from = emulator::lane() + distance;
  return emulator::exchanged(value, from < warpSize ? from : emulator::lane(), {lanes, line});
}

// Only one thread runs at a time: what must be atomic on a GPU is plain code here.
template <class T>
T atomicAdd(T* address, T value) {
  const emulator::Atomic whole(address, sizeof(T));
  const T before = *address;
  *address += value;
  return before;
}
template <class T>
T atomicMin(T* address, T value) {
  const emulator::Atomic whole(address, sizeof(T));
  const T before = *address;
  if (value < before) *address = value;
  return before;
}

inline std::uint32_t __float_as_uint(float x) { return std::bit_cast<std::uint32_t>(x); }
inline float __uint_as_float(std::uint32_t bits) { return std::bit_cast<float>(bits); }

struct alignas(16) float4 {
  float x, y, z, w;
};

}  // namespace xf
