#pragma once

#include "ops/matmul/gemm.hpp"
#include "ops/matmul/panel_order.hpp"

namespace xf::kernel {

// Our own matrix product, in plain C++. As in every fast one (Goto and van de Geijn 2008), tiles of
// C stay in registers, and what they read repeatedly is stored in the order of access: B is copied
// into panels of two vectors, which stay in the second-level cache. A is read in place unless it is
// transposed or its rows would evict each other from the first-level cache. Each element of C is
// summed in the order of k.

// gemm() on the calling thread only.
template <class On>
void panel_gemm(On, const Matrix& a, const Matrix& b, const Result& c, const Epilogue& epilogue);

// The same for a B in panels: C[:, first ... last), where `first` is a multiple of
// PanelMatrix::step. Few rows are multiplied by one panel after the other while the next panel is
// prefetched, so that each number of B is read from memory only once.
template <class On>
void panel_gemm(On, const Matrix& a, const PanelMatrix& b, const Result& c,
                const Epilogue& epilogue, int first, int last);

}  // namespace xf::kernel
