#include "io/kinds.hpp"

#include <algorithm>

namespace xf {

std::string KindField::name() const {
  const std::optional<std::size_t> number = get();
  return number ? names[*number] : "";
}

std::string KindField::take(std::string_view name) const {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) {
    set(static_cast<std::size_t>(found - names.begin()));
    return "";
  }
  std::string list;
  for (std::size_t i = 0; i < names.size(); ++i)
    list += std::string(i == 0 ? "" : i + 1 < names.size() ? ", " : " or ") + names[i];
  return list + ", not " + std::string(name);
}

}  // namespace xf
