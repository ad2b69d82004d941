#pragma once

#include "common/ops/attention/attend_rows.hpp"

namespace xf::mine {

Tensor attend_rows(const Tensor& q, const GrowingRows& keys, const GrowingRows& values,
                   const RowLists& seen, int heads);

}  // namespace xf::mine

#define attend_rows(...) mine::attend_rows(__VA_ARGS__)
