#include "support/checks.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <stdexcept>

#include "support/report.hpp"

namespace xf::exercise {

void TODO(const std::string& where) { throw std::runtime_error("TODO(\"" + where + "\")"); }

Tensor random(const Shape& shape, std::uint64_t seed, float deviation) {
  Random source(seed);
  Tensor tensor = Tensor::zeros(shape);
  replace_each(tensor, [&](float) { return deviation * static_cast<float>(source.normal()); });
  return tensor;
}

static bool close(const Tensor& expected, const Tensor& actual) {
  if (!actual.defined() || !(expected.shape() == actual.shape())) return false;
  const Values want = expected.values(), got = actual.values();
  for (std::ptrdiff_t i = 0; i < expected.count(); ++i) {
    const float e = want[i];
    // written so that NaN is a mismatch
    if (!(std::abs(e - got[i]) <= 1e-5f + 1e-4f * std::abs(e))) return false;
  }
  return true;
}

static void compare(const std::string& name, const std::string& kind, const Tensor& expected,
                    const Tensor& actual) {
  const bool ok = close(expected, actual);
  report("{\"check\": " + quoted(name) + ", \"kind\": " + quoted(kind) +
         ", \"ok\": " + (ok ? "true" : "false") + ", \"expected\": " + numbers(expected) +
         ", \"actual\": " + numbers(actual) + "}");
  CHECK_MESSAGE(ok, name);
}

void compare(const std::string& name, const Tensor& expected, const Tensor& actual) {
  compare(name, "tensor", expected, actual);
}

void compare_gradient(const std::string& name, const Tensor& expected, const Tensor& actual) {
  compare(name, "gradient", expected, actual);
}

void expect(const std::string& claim, bool holds) {
  report("{\"check\": " + quoted(claim) + ", \"ok\": " + (holds ? "true" : "false") + "}");
  CHECK_MESSAGE(holds, claim);
}

}  // namespace xf::exercise
