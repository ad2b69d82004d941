#pragma once

#include <string>
#include <vector>

#include "seeing/heads_page.hpp"

namespace xf {

// A head with its value in a map.
struct HeadOf {
  int layer, head;
  double value;
};
// The `count` heads with the largest values, the largest first.
std::vector<HeadOf> strongest(const HeadMap& map, int heads, int count);

// The maps of a view as text, at most `width` columns wide unless a single map is wider: a row for
// each layer, a digit for each head, its value in tenths. The strongest heads of each map follow.
std::string heads_table(const HeadsView& view, int width);

}  // namespace xf
