#pragma once

namespace xf {

// std::bit_cast, which the library of the page's compiler does not have yet; the compiler does.
template <class To, class From>
constexpr To bit_cast(const From& from) {
  return __builtin_bit_cast(To, from);
}

}  // namespace xf
