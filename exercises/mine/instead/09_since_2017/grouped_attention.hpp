#pragma once

#include <algorithm>
#include <numeric>

#include "02_attention/attention.hpp"
#include "02_attention/mask.hpp"
#include "09_since_2017/rotary_position.hpp"
#include "09_since_2017/swiglu.hpp"
#include "autograd/recorder.hpp"
#include "ops/attention/attend_rows.hpp"
#include "ops/heads/heads.hpp"
#include "ops/shape/shape_ops.hpp"
#define rotate mine::rotate
#define GroupedAttention GroupedAttentionOfTheBook
#include "chapters/09_since_2017/grouped_attention.hpp"
#undef GroupedAttention
#undef rotate

namespace xf {

struct GroupedAttention : GroupedAttentionOfTheBook {
  using GroupedAttentionOfTheBook::GroupedAttentionOfTheBook;
  Tensor operator()(const Tensor& x, const Tensor& turns, GroupedCache* cache = nullptr) const;
};

}  // namespace xf
