#pragma once

namespace xf {

// How the processor computes.
//   same: the same bits on every processor, with every compiler and any number of threads. No
//         multiplication is fused with an addition, and every sum has a fixed order: products add
//         in the order of k, other sums use 16 partial sums (sum_over() in tensor/vector_math.hpp).
//   fast: as fast as this processor can: fused multiply-adds, some products by OpenBLAS.
// The CPU kernels, the cpu.cpp of each folder, are compiled once for each of them.
enum class Arithmetic { same, fast };

// The one in use. Set it only while no computation is running; the default is `same`. A build with
// XF_ONLY_SAME, such as the live page, has no other: there, `fast` throws std::invalid_argument.
Arithmetic arithmetic();
void set_arithmetic(Arithmetic arithmetic);

}  // namespace xf

// Functions that headers define for kernels are in a namespace named after the arithmetic.
// Otherwise the two builds would define the same name, and the linker would keep only one of them.
#ifdef XF_FAST
#define XF_ARITHMETIC fast
#else
#define XF_ARITHMETIC same
#endif
