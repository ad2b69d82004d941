#pragma once

#include <vector>

#include "08_transformer_xl/baselines/any_stack.hpp"
#include "io/state_file.hpp"

namespace xf::language {

// The parameters of a model as the authors' code names and orders them (MemTransformerLM, of
// github.com/kimiyoung/transformer-xl): W^Q, W^K and W^V in one matrix, the columns of W_kR with
// sines before cosines, the clusters counted from the end, and with div_val > 1 a bias for each. A
// tied tensor appears under its first name. The model must outlive the result. Throws ConfigError
// for what that code does not support: another kind, `untie`, a norm at the end of the stack, any
// activation other than ReLU.
std::vector<StateEntry> state_entries(AnySegmentModel& model);

}  // namespace xf::language
