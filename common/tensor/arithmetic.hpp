#pragma once

namespace xf {

// How the processor computes.
//   same: the same bits on every processor, with every compiler and any number of threads. No
//         multiplication is fused with an addition, and every sum has one order: a product adds in
//         the order of k, other sums have 16 partial sums (sum_over() in tensor/vector_math.hpp).
//   fast: as fast as this processor can: fused where it has that, products partly by OpenBLAS.
// The kernels for the processor, each room's cpu.cpp, are compiled once for either.
enum class Arithmetic { same, fast };

// Which one is used. Set it only while nothing is computed; the default is `same`. A build with
// XF_ONLY_SAME, such as the live page, has no other: there `fast` throws std::invalid_argument.
Arithmetic arithmetic();
void set_arithmetic(Arithmetic arithmetic);

}  // namespace xf

// What a header computes for kernels is in a namespace of its arithmetic. Otherwise the linker
// would keep only one of two functions of the same name, for both arithmetics.
#ifdef XF_FAST
#define XF_ARITHMETIC fast
#else
#define XF_ARITHMETIC same
#endif
