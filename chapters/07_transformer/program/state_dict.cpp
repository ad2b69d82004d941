#include "07_transformer/program/state_dict.hpp"

#include <algorithm>

#include "io/utf8.hpp"

namespace xf {

namespace {

using Renamed = std::pair<std::string_view, std::string_view>;  // ours, PyTorch's

constexpr Renamed everywhere[] = {
    {"source_embedding.", "source."},
    {"target_embedding.", "target."},
    {"learned_positions.", "positions."},
    {"cross_attention.", "multihead_attn."},
    {"self_attention.", "self_attn."},
    {"w_o.", "out_proj."},
    {"feed_forward.w_1.", "linear1."},
    {"feed_forward.w_2.", "linear2."},
    {"self_attention_norm.", "norm1."},
    {"cross_attention_norm.", "norm2."},
    {"final_norm.", "norm."},
    {".gamma", ".weight"},
    {".beta", ".bias"},
};

// PyTorch's name of one of our parameters.
std::string state_name(const std::string& ours) {
  std::string name = ours;
  for (const auto& [from, to] : everywhere) name = replaced(name, from, to);
  name = replaced(name, "feed_forward_norm.", name.starts_with("decoder.") ? "norm3." : "norm2.");
  for (const char* projection : {"w_q.", "w_k.", "w_v."})
    name = replaced(name, projection, "in_proj_");
  return name;
}

}  // namespace

std::vector<StateEntry> state_entries(const std::vector<NamedParameter>& parameters) {
  std::vector<StateEntry> entries;
  for (const NamedParameter& parameter : parameters) {
    const std::string name = state_name(parameter.name);
    const auto found = std::find_if(entries.begin(), entries.end(),
                                    [&](const StateEntry& e) { return e.name == name; });
    if (found == entries.end())
      entries.push_back({name, {{parameter.tensor}}});
    else
      found->blocks.push_back({parameter.tensor});
  }
  return entries;
}

}  // namespace xf
