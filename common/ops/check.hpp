#pragma once

#include <optional>
#include <stdexcept>
#include <string>

#include "tensor/device.hpp"
#include "tensor/error.hpp"

namespace xf {

// Checks a precondition of an op: throws InvalidArgument("op: message") when it fails. Only then
// is the message built.
template <class Message>
void require(bool holds, const char* op, const Message& message) {
  if (!holds) throw InvalidArgument("{}: {}", std::string(op), message());
}

// Where an op computes: the device of all its defined inputs. Throws std::invalid_argument when
// they are on several.
template <class... Inputs>
Device common_device(const char* op, const Inputs&... inputs) {
  std::optional<Device> common;
  const auto join = [&](const auto& input) {
    if (!input.defined()) return;
    require(!common || common == input.device(), op, [&] {
      return "its inputs lie on " + name(*common) + " and on " + name(input.device());
    });
    common = input.device();
  };
  (join(inputs), ...);
  return common.value_or(Device::cpu);
}

}  // namespace xf
