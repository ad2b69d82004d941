#include "train/checkpoint.hpp"

#include <cmath>

#include "distributed/processes.hpp"
#include "io/numbers.hpp"
#include "io/printable.hpp"
#include "io/safetensors.hpp"

namespace xf {

namespace {

constexpr const char* adam_steps = "adam.steps";

const std::string& text_counter(const Counters& counters, const std::string& name,
                                const std::string& path) {
  const auto found = counters.find(name);
  if (found == counters.end()) throw UserError("{}: {}", path, words("{} is missing", name));
  return found->second;
}

}  // namespace

void save_checkpoint(const std::string& path, const std::vector<NamedParameter>& parameters,
                     const Adam& adam, Exchange& exchange, const Counters& counters) {
  NamedTensors tensors = exchange.whole(adam.state());
  for (const NamedParameter& parameter : parameters)
    tensors.emplace_back(parameter.name, *parameter.tensor);
  if (!first_process()) return;  // its share of Adam's state has been sent
  Metadata metadata(counters.begin(), counters.end());
  metadata[adam_steps] = std::to_string(adam.steps());
  save_safetensors(path, tensors, metadata);
}

double counter(const Counters& counters, const std::string& name, const std::string& path,
               double least) {
  const std::string& text = text_counter(counters, name, path);
  const auto value = number_in<double>(text);
  if (!value || std::abs(*value) >= 1e15)
    throw UserError("{}: {} is not a number: {}", path, name, shortened(text));
  if (*value < least) throw UserError("{}: {} is out of range: {}", path, name, shortened(text));
  return *value;
}

long whole_counter(const Counters& counters, const std::string& name, const std::string& path,
                   long end) {
  const std::string& text = text_counter(counters, name, path);
  const auto value = number_in<long>(text);
  if (!value) throw UserError("{}: {} is not a whole number: {}", path, name, shortened(text));
  if (*value < 0 || *value >= end)
    throw UserError("{}: {} is out of range: {}, not in [0, {})", path, name, shortened(text), end);
  return *value;
}

Counters load_checkpoint(const std::string& path, const std::vector<NamedParameter>& parameters,
                         Adam& adam, Exchange& exchange) {
  const SafeTensors file = load_safetensors(path);
  const auto find = [&](const std::string& name, const Tensor& like) {
    const auto found = file.tensors.find(name);
    if (found == file.tensors.end()) throw UserError("{}: tensor {} is missing", path, name);
    if (!(found->second.shape() == like.shape()))
      throw UserError("{}: {}", path,
                      words("{} is {}, but the model needs {}", name, found->second.shape().str(),
                            like.shape().str()));
    check_finite(path, name, found->second);
    return found->second;
  };
  NamedTensors state = exchange.whole(adam.state());
  for (auto& [name, tensor] : state) tensor = find(name, tensor);
  std::vector<Tensor> values;
  for (const NamedParameter& parameter : parameters)
    values.push_back(find(parameter.name, *parameter.tensor));
  if (!file.metadata.contains(adam_steps)) throw UserError("{}: not a training checkpoint", path);
  adam.restore(static_cast<int>(whole_counter(file.metadata, adam_steps, path)),
               exchange.share_of(state));
  for (std::size_t p = 0; p < parameters.size(); ++p)
    copy_into(*parameters[p].tensor, values[p].values());
  return {file.metadata.begin(), file.metadata.end()};
}

}  // namespace xf
