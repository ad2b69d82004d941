#pragma once

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "autograd/tape.hpp"
#include "io/safetensors.hpp"
#include "nn/parameters.hpp"
#include "ops/reduce/reduce.hpp"
#include "support/close.hpp"

namespace xf::test {

// One file of tests/golden, made by reference.py; tensors are called CASE/NAME.
class Golden {
 public:
  explicit Golden(const std::string& file)
      : tensors_(load_safetensors(XF_TEST_DATA "/" + file).tensors) {}

  const Tensor& operator()(const std::string& name) const {
    const auto found = tensors_.find(name);
    if (found == tensors_.end()) throw std::runtime_error("golden: no tensor " + name);
    return found->second;
  }
  // Ids and masks, which the files hold as floats.
  Ids ids(const std::string& name) const {
    const Values numbers = (*this)(name).values();
    return Ids((*this)(name).shape(), std::vector<std::int32_t>(numbers.begin(), numbers.end()));
  }
  // The names below `prefix`, without it.
  std::set<std::string> below(const std::string& prefix) const {
    std::set<std::string> names;
    for (const auto& [name, tensor] : tensors_)
      if (name.starts_with(prefix)) names.insert(name.substr(prefix.size()));
    return names;
  }

 private:
  std::map<std::string, Tensor> tensors_;
};

inline const Golden& ops_golden() {
  static const Golden golden("ops.safetensors");
  return golden;
}
inline const Golden& layers_golden() {
  static const Golden golden("layers.safetensors");
  return golden;
}
inline const Golden& transformer_golden() {
  static const Golden golden("transformer.safetensors");
  return golden;
}

// Fills a model with the parameters PREFIX/param/NAME. The names must be the same on both sides.
inline void fill(const std::vector<NamedParameter>& parameters, const Golden& golden,
                 const std::string& prefix) {
  std::set<std::string> names;
  for (const NamedParameter& p : parameters) {
    const Tensor& stored = golden(prefix + p.name);
    REQUIRE_MESSAGE(stored.shape() == p.tensor->shape(), p.name << " is " << stored.shape().str());
    copy_into(*p.tensor, stored.values());
    names.insert(p.name);
  }
  REQUIRE(names == golden.below(prefix));
}

// Compares every named gradient with the golden's.
// The key bias adds the same number, q . b_k, to all scores of a row, so that softmax cancels it:
// its gradient is zero, and what is left of it is round-off, measured against the weight's
// gradient.
inline void expect_gradients(const std::vector<NamedParameter>& parameters,
                             const Gradients& gradients, const Golden& golden,
                             const std::string& prefix) {
  for (const NamedParameter& p : parameters) {
    double size = -1;
    if (p.name.ends_with("w_k.bias"))
      size = largest(golden(prefix + p.name.substr(0, p.name.size() - 4) + "weight"));
    expect_close(prefix + p.name, gradients.of(*p.tensor), golden(prefix + p.name), parity, size);
  }
}

// Runs f on the inputs CASE/NAME and compares its output, the gradients of the inputs and the
// gradients of the parameters with the golden's. f: (std::vector<Tensor>) -> Tensor
template <class F>
void check_case(const Golden& golden, const std::string& name,
                const std::vector<std::string>& inputs, const F& f,
                const std::vector<NamedParameter>& parameters = {}) {
  fill(parameters, golden, name + "/param/");
  std::vector<Tensor> leaves;
  for (const std::string& input : inputs)
    leaves.push_back(parameter(golden(name + "/" + input).clone()));
  Tape tape;
  const Tensor y = f(leaves);
  expect_close(name + "/y", y, golden(name + "/y"));
  const Gradients gradients = tape.backward(weighted_sum(y, golden(name + "/dy")));
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::string gradient = name + "/d" + inputs[i];
    expect_close(gradient, gradients.of(leaves[i]), golden(gradient));
  }
  expect_gradients(parameters, gradients, golden, name + "/grad/");
}

}  // namespace xf::test
