#pragma once

#include <vector>

#include "08_transformer_xl/baselines/any_stack.hpp"
#include "io/state_file.hpp"

namespace xf::language {

// The parameters of a model as the authors' code names and orders them (MemTransformerLM, of
// github.com/kimiyoung/transformer-xl): W^Q, W^K and W^V one below the other, the columns of W_kR
// by sines, then cosines, the clusters counted from the end, and with div_val > 1 a bias for each.
// A tied tensor stands under its first name. The model must stay where it is.
// Throws ConfigError for what that code has not: another kind, `untie`, a norm at the end of the
// stack, another activation than ReLU.
std::vector<StateEntry> state_entries(AnySegmentModel& model);

}  // namespace xf::language
