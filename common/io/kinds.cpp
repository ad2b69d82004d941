#include "io/kinds.hpp"

#include <algorithm>

namespace xf {

std::string KindField::name() const {
  const std::optional<std::size_t> number = get();
  return number ? names[*number] : "";
}

Phrase KindField::take(std::string_view name) const {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) {
    set(static_cast<std::size_t>(found - names.begin()));
    return {};
  }
  std::string list = names.front();
  for (const char* other : names.subspan(1, names.size() - 2)) list += std::string(", ") + other;
  return words("expected {} or {}, not {}", list, std::string(names.back()), name);
}

}  // namespace xf
