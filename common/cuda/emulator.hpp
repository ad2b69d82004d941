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
// one at a time, as fibers: each until it waits at a barrier or is done. Which one is next is drawn
// from a seed, and so is the order of the blocks. A kernel that only works because its threads
// happen to run side by side fails under some seed:
//
//   - shared memory and fresh device memory are filled with NaN (as an int: -1), under other
//     schedules with 1e30 or -1e30, which fmaxf and fminf do not pass over; so a number that was
//     never written, or is read before a missing barrier, spoils the result;
//   - a barrier that not every thread of the block reaches, or that its threads reach at different
//     lines, is an error that names kernel and block; so is a shuffle that a lane of its mask does
//     not come to, whose mask leaves the caller or the lane read out, or that meets another one;
//   - device memory cannot be touched from outside a kernel, a kernel gets no pointer to the
//     host's, and AddressSanitizer sees every access beyond its ends;
//   - a block has 48 KiB of dynamic shared memory.
//
// What it cannot show: two threads that add to one number without an atomic, since no thread is
// stopped between two barriers; memory that other threads see late; bank conflicts; time. A static
// of a template would not be filled (g++ leaves it out of the section): tests refuse one.

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

// Where the running thread stands.
inline dim3 threadIdx, blockIdx, blockDim, gridDim;
constexpr int warpSize = 32;

namespace emulator {

// A kernel that breaks CUDA's rules. The message names the kernel and the block.
struct BrokenKernel : std::logic_error {
  using std::logic_error::logic_error;
};

// Fixes the order of threads and blocks from now on; the environment variable XF_SCHEDULE does so
// at the start.
void set_schedule(std::uint64_t seed);
// Of each grid with more blocks only the last `count` run from now on; 0: all. For what lies beyond
// 2^31 numbers: all blocks would take hours.
void run_last_blocks(std::size_t count);

struct Grid {
  const char* kernel;  // its name, for messages
  dim3 blocks, threads;
  std::size_t shared_bytes = 0;  // of dynamic shared memory
};

// Runs thread(arguments), which has so many bytes of them, for every thread of every block. Throws
// BrokenKernel.
void run(const Grid& grid, void (*thread)(const void*), const void* arguments, std::size_t bytes);

// Throws BrokenKernel where the argument of this number is a pointer to the host's memory.
void check_pointer(const char* kernel, int number, const void* pointer);
template <class Argument>
void check_argument(const char* kernel, int number, const Argument& argument) {
  if constexpr (std::is_pointer_v<Argument>) check_pointer(kernel, number, argument);
}

// ---- what a thread calls ------------------------------------------------------------------------

// A line of the source, which tells two barriers or shuffles apart.
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

// Each lane leaves a number for its warp, waits for the others, and reads that of lane `source`.
std::uint64_t exchange(std::uint64_t bits, int source, const WarpSync& sync);

// The same, but it reads those of all 32 lanes.
void gather(std::uint64_t bits, std::uint64_t* of_lanes, Line line = Line(__builtin_LINE()));

// The running thread breaks a rule: BrokenKernel, with this message, comes out of run().
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
// Earlier writes of the thread are visible to a thread that sees a later atomic of its own.
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

// No two threads run at once: what is atomic on a GPU is plain here.
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
