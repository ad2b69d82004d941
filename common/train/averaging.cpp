#include "train/averaging.hpp"

#include "io/safetensors.hpp"
#include "tensor/accumulate.hpp"

namespace xf {

void load_average(const std::vector<std::string>& paths,
                  const std::vector<NamedParameter>& parameters) {
  if (paths.empty()) throw std::invalid_argument("load_average: no files");
  std::vector<Tensor> sums, before;
  for (const NamedParameter& parameter : parameters) before.push_back(parameter.tensor->clone());
  const auto restore = [&](const std::vector<Tensor>& values, float factor) {
    for (std::size_t p = 0; p < parameters.size(); ++p)
      for (std::ptrdiff_t i = 0; i < values[p].count(); ++i)
        parameters[p].tensor->data()[i] = factor * values[p].data()[i];
  };
  try {
    for (const std::string& path : paths) {
      load_parameters(path, parameters);
      for (std::size_t p = 0; p < parameters.size(); ++p)
        if (sums.size() == p)
          sums.push_back(parameters[p].tensor->clone());
        else
          accumulate_into(sums[p], *parameters[p].tensor);
    }
  } catch (...) {
    restore(before, 1.0f);
    throw;
  }
  restore(sums, 1.0f / static_cast<float>(paths.size()));
}

}  // namespace xf
