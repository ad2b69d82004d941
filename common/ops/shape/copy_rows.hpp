#pragma once

#include "ops/shape/growing_rows.hpp"

namespace xf {

// A copy of the rows, (N, D), for whoever watches the ops.
Tensor copy_rows(const GrowingRows& rows);

}  // namespace xf
