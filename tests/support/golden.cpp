#include "support/golden.hpp"

#include <stdexcept>

#include "io/safetensors.hpp"

namespace xf::test {

Golden::Golden(const std::string& file)
    : tensors_(load_safetensors(XF_TEST_DATA "/" + file).tensors) {}

const Tensor& Golden::operator()(const std::string& name) const {
  const auto found = tensors_.find(name);
  if (found == tensors_.end())
    throw std::runtime_error("golden: no tensor " + name + "; tests/golden/reference.py writes it");
  return found->second;
}

Ids Golden::ids(const std::string& name) const {
  const Values numbers = (*this)(name).values();
  return Ids((*this)(name).shape(), std::vector<std::int32_t>(numbers.begin(), numbers.end()));
}

std::set<std::string> Golden::below(const std::string& prefix) const {
  std::set<std::string> names;
  for (const auto& [name, tensor] : tensors_)
    if (name.starts_with(prefix)) names.insert(name.substr(prefix.size()));
  return names;
}

const Golden& ops_golden() {
  static const Golden golden("ops.safetensors");
  return golden;
}
const Golden& layers_golden() {
  static const Golden golden("layers.safetensors");
  return golden;
}
const Golden& transformer_golden() {
  static const Golden golden("transformer.safetensors");
  return golden;
}

void fill(const std::vector<NamedParameter>& parameters, const Golden& golden,
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

void expect_gradients(const std::vector<NamedParameter>& parameters, const Gradients& gradients,
                      const Golden& golden, const std::string& prefix) {
  for (const NamedParameter& p : parameters) {
    double size = -1;
    if (p.name.ends_with("w_k.bias"))
      size = largest(golden(prefix + p.name.substr(0, p.name.size() - 4) + "weight"));
    expect_close(prefix + p.name, gradients.of(*p.tensor), golden(prefix + p.name), parity, size);
  }
}

}  // namespace xf::test
