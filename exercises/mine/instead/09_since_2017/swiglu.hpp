#pragma once

#include "09_since_2017/rms_norm.hpp"
#define SwiGlu SwiGluOfTheBook
#include "chapters/09_since_2017/swiglu.hpp"
#undef SwiGlu

namespace xf {

struct SwiGlu : SwiGluOfTheBook {
  using SwiGluOfTheBook::SwiGluOfTheBook;
  Tensor operator()(const Tensor& x) const;
};

}  // namespace xf
