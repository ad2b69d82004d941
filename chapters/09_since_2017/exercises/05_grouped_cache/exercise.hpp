#pragma once

#include <cstdint>
#include <vector>

#include "support/kit.hpp"

namespace xf::exercise {

using Rows = xt::xtensor<float, 2>;

// The keys and values of the positions so far, G heads of Dk numbers each.
struct Cache {
  std::vector<Rows> k, v;  // (G, Dk) for each position
};

// Adds the new position to the cache, and lets its queries attend to all positions in it. Query
// head h looks at head h / R of keys and values, R = H / G.              Ainslie et al. 2023, 2.2
//   q: (H, Dk)   k, v: (G, Dk)   returns (H, Dk)
Rows step(const Rows& q, const Rows& k, const Rows& v, Cache& cache);

// What the numbers in the cache take.
std::int64_t bytes_of(const Cache& cache);

// What the cache of a whole model takes once so many positions are in it.
std::int64_t planned_bytes(int layers, int groups, int d_k, int positions, int bytes_a_number);

}  // namespace xf::exercise
