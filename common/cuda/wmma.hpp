#pragma once

#include "cuda/launch.hpp"

// Tensor cores, as CUDA's header mma.h gives them: a warp holds matrices of 16 x 16 ("fragments"),
// each lane some of their numbers, and multiplies them in one instruction.
#ifdef __CUDACC__

#include <cuda_bf16.h>
#include <mma.h>

#else

// The same for the emulator, only for bfloat16 factors and float32 sums. It is as strict as a GPU:
// every lane of the warp has to take part, addresses and strides have to be multiples of what the
// hardware loads at once, and which lane holds which element is unspecified.

#include "cuda/narrow.hpp"

namespace xf {

struct __nv_bfloat16 {
  cuda::Bfloat16 bits;
};
inline __nv_bfloat16 __float2bfloat16(float x) { return {cuda::to_bfloat16(x)}; }
inline float __bfloat162float(__nv_bfloat16 x) { return cuda::to_float(x.bits); }

namespace nvcuda::wmma {

struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major;
enum layout_t { mem_row_major };

constexpr int side = 16, in_a_lane = side * side / warpSize;

// Lane l holds the numbers l, l + 32, l + 64 ... of the matrix.
template <class Use, int m, int n, int k, class Number, class Layout = void>
struct fragment {
  static_assert(m == side && n == side && k == side);
  Number x[in_a_lane];
};

inline int row_of(int i) { return (emulator::lane() + i * warpSize) / side; }
inline int column_of(int i) { return (emulator::lane() + i * warpSize) % side; }

template <class Fragment>
auto number(const Fragment* const* lanes, int row, int column) {
  const int place = row * side + column;
  return lanes[place % warpSize]->x[place / warpSize];
}

// The fragments of all lanes, once each of them has come.
template <class Fragment>
void gather(const Fragment& own, const Fragment** lanes) {
  std::uint64_t addresses[warpSize];
  emulator::gather(reinterpret_cast<std::uintptr_t>(&own), addresses);
  for (int lane = 0; lane < warpSize; ++lane)  // NOLINTNEXTLINE(performance-no-int-to-ptr)
    lanes[lane] = reinterpret_cast<const Fragment*>(static_cast<std::uintptr_t>(addresses[lane]));
}

template <class Number>
void check_place(const Number* from, unsigned stride) {
  if (reinterpret_cast<std::uintptr_t>(from) % 32 != 0)
    emulator::broken("a fragment at an address that is no multiple of 32 bytes");
  if (stride * sizeof(Number) % 16 != 0)
    emulator::broken("a fragment whose rows are no multiple of 16 bytes apart");
  emulator::warp_barrier();
}

template <class Fragment>
void fill_fragment(Fragment& to, float value) {
  for (auto& number : to.x) number = value;
}

template <class Fragment, class Number>
void load_matrix_sync(Fragment& to, const Number* from, unsigned stride) {
  check_place(from, stride);
  for (int i = 0; i < in_a_lane; ++i) to.x[i] = from[row_of(i) * int(stride) + column_of(i)];
}

template <class Fragment>
void store_matrix_sync(float* to, const Fragment& from, unsigned stride, layout_t) {
  check_place(to, stride);
  for (int i = 0; i < in_a_lane; ++i) to[row_of(i) * int(stride) + column_of(i)] = from.x[i];
}

// d = a b + c, which may be d. Nobody goes on before all lanes have read everybody's factors.
template <class Sum, class A, class B>
void mma_sync(Sum& d, const A& a, const B& b, const Sum& c) {
  const A* as[warpSize];
  const B* bs[warpSize];
  gather(a, as);
  gather(b, bs);
  Sum sums = c;
  for (int i = 0; i < in_a_lane; ++i)
    for (int p = 0; p < side; ++p)
      sums.x[i] += __bfloat162float(number(as, row_of(i), p)) *
                   __bfloat162float(number(bs, p, column_of(i)));
  emulator::warp_barrier();
  d = sums;
}

}  // namespace nvcuda::wmma

}  // namespace xf

#endif
