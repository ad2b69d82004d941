#include "07_transformer/program/state_dict.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "io/safetensors.hpp"
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
  const bool decoder = name.starts_with("decoder.");
  name = replaced(name, "feed_forward_norm.", decoder ? "norm3." : "norm2.");
  for (const char* projection : {"w_q.", "w_k.", "w_v."})
    name = replaced(name, projection, "in_proj_");
  return name;
}

Shape stacked_shape(const StateEntry& entry) {
  const Tensor& first = *entry.blocks[0].tensor;
  const int rows = first.size(0) * static_cast<int>(entry.blocks.size());
  return first.shape().rank() == 1 ? Shape{rows} : Shape{rows, first.size(1)};
}

}  // namespace

std::vector<StateEntry> state_entries(const std::vector<NamedParameter>& parameters) {
  std::vector<StateEntry> entries;
  for (const NamedParameter& parameter : parameters) {
    const std::string name = state_name(parameter.name);
    const auto found = std::find_if(entries.begin(), entries.end(),
                                    [&](const StateEntry& e) { return e.name == name; });
    if (found == entries.end())
      entries.push_back({name, {parameter}});
    else
      found->blocks.push_back(parameter);
  }
  return entries;
}

void save_state(const std::string& path, const std::vector<NamedParameter>& parameters) {
  NamedTensors tensors;
  for (const StateEntry& entry : state_entries(parameters)) {
    std::vector<float> numbers;
    for (const NamedParameter& block : entry.blocks) {
      const Values values = block.tensor->values();
      numbers.insert(numbers.end(), values.begin(), values.end());
    }
    tensors.emplace_back(entry.name, Tensor::from(stacked_shape(entry), numbers));
  }
  save_safetensors(path, tensors, {{"format", "pt"}});
}

void load_state(const std::string& path, const std::vector<NamedParameter>& parameters) {
  const std::map<std::string, Tensor> stored = load_safetensors(path).tensors;
  const std::vector<StateEntry> entries = state_entries(parameters);
  for (const StateEntry& entry : entries) {
    const auto found = stored.find(entry.name);
    if (found == stored.end()) throw UserError(path + ": no tensor " + entry.name);
    if (const Shape wanted = stacked_shape(entry); found->second.shape() != wanted)
      throw UserError(path + ": " + entry.name + " is " + found->second.shape().str() +
                      ", the model needs " + wanted.str());
    check_finite(path, entry.name, found->second);
  }
  for (const auto& each : stored)
    if (std::none_of(entries.begin(), entries.end(),
                     [&](const StateEntry& e) { return e.name == each.first; }))
      throw UserError(path + ": the model has no tensor " + each.first);
  for (const StateEntry& entry : entries) {
    const Values values = stored.at(entry.name).values();
    auto from = values.begin();
    for (const NamedParameter& block : entry.blocks) {
      const auto count = static_cast<std::size_t>(block.tensor->count());
      copy_into(*block.tensor, std::span<const float>(from, count));
      from += static_cast<std::ptrdiff_t>(count);
    }
  }
}

}  // namespace xf
