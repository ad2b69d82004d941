#pragma once

#include <vector>

#include "io/state_file.hpp"

namespace xf {

// Parameters of chapter 7 under the names of a PyTorch model whose modules are called `source` and
// `target` (Embedding), `encoder` and `decoder` (of torch.nn.Transformer) and `output` (Linear).
// PyTorch stacks W^Q, W^K and W^V in one matrix, in_proj; otherwise only the names differ.
//   torch_model.load_state_dict(safetensors.torch.load_file(path))
std::vector<StateEntry> state_entries(const std::vector<NamedParameter>& parameters);

}  // namespace xf
