#pragma once

#include "cuda/launch.hpp"

// Tensor cores, with the interface of CUDA's header mma.h: a warp holds matrices of 16 x 16
// ("fragments"), distributed over its lanes, and multiplies them in one instruction.
#ifdef __CUDACC__

#include <cuda_bf16.h>
#include <mma.h>

#else

// The same for the emulator, with bfloat16 or TF32 factors and float32 sums. It is as strict as a
// GPU: every lane of the warp must take part, addresses and strides must be multiples of what the
// hardware loads at once, and which lane holds which element is unspecified.

#include <type_traits>

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
struct col_major;
enum layout_t { mem_row_major };
namespace precision {
struct tf32;
}

template <class Kind>
constexpr bool is_tf32 = std::is_same_v<Kind, precision::tf32>;

// Lane l holds the numbers l, l + 32, l + 64 ... of the matrix, row by row.
template <class Use, int m, int n, int k, class Kind, class Layout = void>
struct fragment {
  static_assert(m == 16 && n == 16 && (k == 16 || k == 8));
  static_assert(!is_tf32<Kind> || k == 8);
  static constexpr int rows = std::is_same_v<Use, matrix_b> ? k : m,
                       columns = std::is_same_v<Use, matrix_a> ? k : n,
                       num_elements = rows * columns / warpSize;
  static constexpr bool by_columns = std::is_same_v<Layout, col_major>;
  std::conditional_t<is_tf32<Kind>, float, Kind> x[num_elements];

  static int row(int i) { return (emulator::lane() + i * warpSize) / columns; }
  static int column(int i) { return (emulator::lane() + i * warpSize) % columns; }
  static int place(int i, unsigned stride) {
    return by_columns ? column(i) * int(stride) + row(i) : row(i) * int(stride) + column(i);
  }
};

// The element at a position, collected from the lanes, as tensor cores see it: of a float, only the
// bits of TF32.
inline float factor(__nv_bfloat16 x) { return __bfloat162float(x); }
inline float factor(float x) { return __uint_as_float(__float_as_uint(x) & ~0x1fffu); }
template <class Fragment>
float number(const Fragment* const* lanes, int row, int column) {
  const int place = row * Fragment::columns + column;
  return factor(lanes[place % warpSize]->x[place / warpSize]);
}

// Collects the fragments of all lanes, once every lane has arrived.
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
  for (int i = 0; i < Fragment::num_elements; ++i) to.x[i] = from[Fragment::place(i, stride)];
}

template <class Fragment>
void store_matrix_sync(float* to, const Fragment& from, unsigned stride, layout_t) {
  check_place(to, stride);
  for (int i = 0; i < Fragment::num_elements; ++i) to[Fragment::place(i, stride)] = from.x[i];
}

// d = a b + c; d may be c. No lane continues before all lanes have read all factors.
template <class Sum, class A, class B>
void mma_sync(Sum& d, const A& a, const B& b, const Sum& c) {
  const A* as[warpSize];
  const B* bs[warpSize];
  gather(a, as);
  gather(b, bs);
  Sum sums = c;
  for (int i = 0; i < Sum::num_elements; ++i)
    for (int p = 0; p < A::columns; ++p)
      sums.x[i] += number(as, Sum::row(i), p) * number(bs, p, Sum::column(i));
  emulator::warp_barrier();
  d = sums;
}

}  // namespace nvcuda::wmma

}  // namespace xf

#endif
