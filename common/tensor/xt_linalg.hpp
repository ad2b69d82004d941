#pragma once

// The gateway to xtensor-blas (xt::linalg::dot). Separate from xt.hpp, because it declares the
// CBLAS functions itself: a file that includes <cblas.h> cannot include this one.

#include <xtensor-blas/xblas_config.hpp>  // first, as in openblas.cpp

#include <xtensor-blas/xlinalg.hpp>

#include "tensor/xt.hpp"
