#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "autograd/tape.hpp"
#include "nn/parameters.hpp"
#include "ops/reduce/reduce.hpp"
#include "support/close.hpp"

namespace xf::test {

// One file of tests/golden, made by reference.py; tensors are called CASE/NAME.
class Golden {
 public:
  explicit Golden(const std::string& file);

  const Tensor& operator()(const std::string& name) const;
  // Ids and masks, which the files hold as floats.
  Ids ids(const std::string& name) const;
  // The names below `prefix`, without it.
  std::set<std::string> below(const std::string& prefix) const;

 private:
  std::map<std::string, Tensor> tensors_;
};

const Golden& ops_golden();
const Golden& layers_golden();
const Golden& transformer_golden();

// For a comparison of tensors.
inline Tensor numbers(const std::vector<float>& values) {
  return Tensor::from({static_cast<int>(values.size())}, values);
}

// Fills a model with the parameters PREFIX/param/NAME. The names must be the same on both sides.
void fill(const std::vector<NamedParameter>& parameters, const Golden& golden,
          const std::string& prefix);

// Compares every named gradient with the golden's.
// The key bias adds the same number, q . b_k, to all scores of a row, so that softmax cancels it:
// its gradient is zero, and what is left of it is round-off, measured against the weight's
// gradient.
void expect_gradients(const std::vector<NamedParameter>& parameters, const Gradients& gradients,
                      const Golden& golden, const std::string& prefix);

// Runs f on the inputs CASE/NAME and compares its output, the gradients of the inputs and the
// gradients of the parameters with the golden's. f: (Inputs) -> Tensor
template <class F>
void check_case(const Golden& golden, const std::string& name,
                const std::vector<std::string>& inputs, const F& f,
                const std::vector<NamedParameter>& parameters = {}) {
  fill(parameters, golden, name + "/param/");
  Inputs leaves;
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

template <class F>
void check_layer(const std::string& name, const std::vector<std::string>& inputs,
                 const std::vector<NamedParameter>& parameters, const F& f) {
  check_case(layers_golden(), name, inputs, f, parameters);
}

}  // namespace xf::test
