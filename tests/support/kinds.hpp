#pragma once

#include <stdexcept>
#include <string>

#include "io/kinds.hpp"

namespace xf::test {

// The kind of that name.
template <NamedKind Kind>
Kind named(const std::string& name) {
  Kind kind{};
  const std::string problem = KindField(&kind).take(name);
  if (!problem.empty()) throw std::invalid_argument(problem);
  return kind;
}

}  // namespace xf::test
