#pragma once

#include "autograd/tape.hpp"

namespace xf {

// y[b, t] = table[ids[b, t]]: the rows of the table that the ids name.
//   ids: (B, T)   table: (V, D)   returns (B, T, D)
// backward: dtable[id] += dy[b, t] for every occurrence of the id.
// Throws std::invalid_argument when an id is not in [0, V); the message names it.
Tensor embedding(const Ids& ids, const Tensor& table);

}  // namespace xf
