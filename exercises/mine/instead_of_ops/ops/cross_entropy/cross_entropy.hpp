#pragma once

#include "common/ops/cross_entropy/cross_entropy.hpp"

namespace xf::mine {

Tensor cross_entropy(Tensor logits, const Ids& targets, const CrossEntropyOptions& options = {});

}  // namespace xf::mine

#define cross_entropy(...) mine::cross_entropy(__VA_ARGS__)
#define cross_entropy_in_place(...) cross_entropy(__VA_ARGS__)
