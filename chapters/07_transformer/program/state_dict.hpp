#pragma once

#include <string>
#include <vector>

#include "nn/parameters.hpp"

namespace xf {

// Parameters of chapter 7 under the names of a PyTorch model whose modules are called `source` and
// `target` (Embedding), `encoder` and `decoder` (of torch.nn.Transformer) and `output` (Linear).
// PyTorch keeps W^Q, W^K and W^V one below the other, as in_proj; else only the names differ.
struct StateEntry {
  std::string name;                    // PyTorch's
  std::vector<NamedParameter> blocks;  // ours, one below the other
};
std::vector<StateEntry> state_entries(const std::vector<NamedParameter>& parameters);

// Writes them as a safetensors file:
// torch_model.load_state_dict(safetensors.torch.load_file(path)).
void save_state(const std::string& path, const std::vector<NamedParameter>& parameters);
// The reverse. Strict, as load_parameters(): UserError names the file and the tensor that is
// missing, unknown, of another shape or not finite; then no parameter has changed.
void load_state(const std::string& path, const std::vector<NamedParameter>& parameters);

}  // namespace xf
