#pragma once

#include <cstddef>
#include <functional>
#include <span>

namespace xf::many_machines {

// The ways to add up N numbers that n processes hold, so that all have the sum
// (common/distributed/collectives.hpp implements them), as lists of messages.
enum class Way { tree, doubling, ring };
constexpr Way ways[] = {Way::tree, Way::doubling, Way::ring};
const char* name(Way way);

struct Message {
  int from, to;
  std::ptrdiff_t numbers;
};

// The messages of each step; the steps run one after another.
void for_each_step(Way way, int processes, std::ptrdiff_t numbers,
                   const std::function<void(std::span<const Message>)>& step);

}  // namespace xf::many_machines
