#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "language/language.hpp"

namespace xf {

// An enum whose kinds have names, in flags and in files. Its names are given beside it, in the
// order of its values:
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

// A variable that holds a kind of any such enum.
struct KindField {
  std::span<const char* const> names;
  std::function<std::optional<std::size_t>()> get;  // the number of its name
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

  std::string name() const;  // "" where there is none
  // Stores the kind of that name. Returns what is wrong, "post or pre, not both", or nothing.
  Phrase take(std::string_view name) const;
};

}  // namespace xf
