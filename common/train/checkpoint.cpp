#include "train/checkpoint.hpp"

#include <algorithm>
#include <cstdio>

#include "io/safetensors.hpp"

namespace xf {

namespace {

constexpr const char* adam_steps = "adam.steps";

}  // namespace

void save_checkpoint(const std::string& path, const std::vector<NamedParameter>& parameters,
                     const Adam& adam, const Counters& counters) {
  NamedTensors tensors = adam.state();
  for (const NamedParameter& parameter : parameters)
    tensors.emplace_back(parameter.name, *parameter.tensor);
  Metadata metadata(counters.begin(), counters.end());
  metadata[adam_steps] = std::to_string(adam.steps());
  save_safetensors(path, tensors, metadata);
}

Counters load_checkpoint(const std::string& path, const std::vector<NamedParameter>& parameters,
                         Adam& adam) {
  const SafeTensors file = load_safetensors(path);
  const auto find = [&](const std::string& name, const Tensor& like) {
    const auto found = file.tensors.find(name);
    if (found == file.tensors.end()) throw UserError(path + ": tensor " + name + " is missing");
    if (!(found->second.shape() == like.shape()))
      throw UserError(path + ": " + name + " is " + found->second.shape().str() +
                      ", the model needs " + like.shape().str());
    check_finite(path, name, found->second);
    return found->second;
  };
  NamedTensors state = adam.state();
  for (auto& [name, tensor] : state) tensor = find(name, tensor);
  std::vector<Tensor> values;
  for (const NamedParameter& parameter : parameters)
    values.push_back(find(parameter.name, *parameter.tensor));
  const auto steps = file.metadata.find(adam_steps);
  int taken = 0;
  if (steps == file.metadata.end() || std::sscanf(steps->second.c_str(), "%d", &taken) != 1)
    throw UserError(path + ": not a training checkpoint");

  adam.restore(taken, state);
  for (std::size_t p = 0; p < parameters.size(); ++p)
    std::copy_n(values[p].data(), values[p].count(), parameters[p].tensor->data());
  return {file.metadata.begin(), file.metadata.end()};
}

}  // namespace xf
