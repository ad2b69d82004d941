#pragma once

#include "02_attention/attention.hpp"
#include "ops/attention/packed_attention.hpp"
#include "ops/heads/heads.hpp"
#define attend attend_of_the_book
#include "chapters/02_attention/attend.hpp"
#undef attend

namespace xf {

Tensor attend(const Tensor& q, const KeysValues& to, const AttendOptions& options);

}  // namespace xf
