#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "language/language.hpp"

namespace xf {

// An enum whose values have names, used in flags and in files. The names are given beside the enum,
// in the order of its values:
//   constexpr std::array<const char*, 2> names_of(NormOrder) { return {"post", "pre"}; }
template <class Kind>
concept NamedKind = requires(Kind kind) {
  names_of(kind);
};

template <NamedKind Kind>
inline constexpr auto kind_names = names_of(Kind{});

template <NamedKind Kind>
std::string name(Kind kind) {
  return kind_names<Kind>.at(static_cast<std::size_t>(kind));
}

// Access to a variable of any such enum type.
struct KindField {
  std::span<const char* const> names;
  std::function<std::optional<std::size_t>()> get;  // the index of its name
  std::function<void(std::size_t)> set;

  template <NamedKind Kind>
  KindField(Kind* value)
      : names(kind_names<Kind>),
        get([value] { return static_cast<std::size_t>(*value); }),
        set([value](std::size_t number) { *value = static_cast<Kind>(number); }) {}
  template <NamedKind Kind>
  KindField(std::optional<Kind>* value)
      : names(kind_names<Kind>),
        get([value] {
          return *value ? std::optional(static_cast<std::size_t>(**value)) : std::nullopt;
        }),
        set([value](std::size_t number) { *value = static_cast<Kind>(number); }) {}

  std::string name() const;  // "" if it has none
  // Stores the value with that name. Returns what is wrong, "post or pre, not both", or nothing.
  Phrase take(std::string_view name) const;
};

}  // namespace xf
