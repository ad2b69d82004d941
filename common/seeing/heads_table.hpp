#pragma once

#include <string>
#include <vector>

#include "seeing/heads_page.hpp"

namespace xf {

// A head with its number in a map.
struct HeadOf {
  int layer, head;
  double value;
};
// The `count` heads with the largest values, the largest first.
std::vector<HeadOf> strongest(const HeadMap& map, int heads, int count);

// The maps of a view as text, at most `width` columns wide where a map is not wider: a row a layer,
// a sign a head, the tenths of its number; and of each map the heads that have the most of it.
std::string heads_table(const HeadsView& view, int width);

}  // namespace xf
