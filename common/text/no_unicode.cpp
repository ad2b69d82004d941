#include "tensor/error.hpp"
#include "text/unicode.hpp"

// Replaces unicode.cpp in a build without utf8proc, that of the live page.
namespace xf {

std::string lower_case(std::string_view) {
  throw UserError("lower case needs utf8proc, and this program was built without it");
}

}  // namespace xf
