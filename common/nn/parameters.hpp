#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "autograd/tape.hpp"

namespace xf {

// A layer is a plain struct that lists its parameters and sub-layers once:
//
//   struct FeedForward {
//     Linear w_1, w_2;
//     template <class Visitor> void visit(Visitor&& v) { v("w_1", w_1); v("w_2", w_2); }
//   };
//
// The names below come from that list, as in PyTorch: "encoder.layers.0.feed_forward.w_1.weight".
// Adam, the model files and the parameter count all use them.
struct NamedParameter {
  std::string name;
  Tensor* tensor;
};

namespace detail {

struct Collector {
  std::vector<NamedParameter>& found;
  std::string prefix;

  void operator()(const std::string& name, Tensor& tensor) {
    if (!tensor.defined()) return;  // a linear layer without a bias
    for (const NamedParameter& known : found)
      if (known.tensor->key() == tensor.key()) return;  // tied: keeps its first name
    found.push_back({prefix + name, &tensor});
  }
  template <class Layer>
  void operator()(const std::string& name, Layer& layer) {
    layer.visit(Collector{found, prefix + name + "."});
  }
  template <class Layer>
  void operator()(const std::string& name, std::vector<Layer>& layers) {
    for (std::size_t i = 0; i < layers.size(); ++i)
      (*this)(name + "." + std::to_string(i), layers[i]);
  }
};

}  // namespace detail

// All parameters of a model in the order of its visit(); tied ones once. The pointers are valid
// as long as the model is not moved.
template <class Model>
std::vector<NamedParameter> parameters(Model& model) {
  std::vector<NamedParameter> found;
  model.visit(detail::Collector{found, ""});
  return found;
}

// The same without names, for a const model: handles of its parameters.
template <class Model>
std::vector<Tensor> weights(Model model) {
  std::vector<Tensor> found;
  for (const NamedParameter& parameter : parameters(model)) found.push_back(*parameter.tensor);
  return found;
}

// How many numbers the parameters hold.
inline std::int64_t parameter_count(const std::vector<NamedParameter>& list) {
  std::int64_t count = 0;
  for (const NamedParameter& parameter : list) count += parameter.tensor->count();
  return count;
}

}  // namespace xf
