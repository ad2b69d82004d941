#pragma once

#include "ops/mask.hpp"
#define padding_mask padding_mask_of_the_book
#include "chapters/02_attention/mask.hpp"
#undef padding_mask

namespace xf {

Mask padding_mask(const Ids& ids, std::int32_t pad);

}  // namespace xf
