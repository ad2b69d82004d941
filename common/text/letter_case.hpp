#pragma once

#include <string>
#include <string_view>

namespace xf {

// As Python's str.lower(): every letter becomes its lower-case form; "İ" becomes two characters,
// and a capital sigma that ends a word "ς". It does where a letter with case stands before it and
// none behind it, marks such as "'" and "." left out of account (The Unicode Standard, 3.13,
// Final_Sigma). Bytes that are no UTF-8 stay.
std::string lower_case(std::string_view text);

}  // namespace xf
