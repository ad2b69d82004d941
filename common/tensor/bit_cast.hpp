#pragma once

namespace xf {

// std::bit_cast, which the live page's compiler supports but its standard library does not yet.
template <class To, class From>
constexpr To bit_cast(const From& from) {
  return __builtin_bit_cast(To, from);
}

}  // namespace xf
