#pragma once

#include "support/kit.hpp"

namespace xf::exercise {

// Which keys may be looked at: 1 for a word, 0 for padding.
//   ids: (B, S)   pad: the id of the padding   returns a mask (B, 1, S)
Mask padding_mask(const Ids& ids, std::int32_t pad);

}  // namespace xf::exercise
