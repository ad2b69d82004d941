#include "tensor/error.hpp"
#include "text/unicode.hpp"

// Stands for unicode.cpp in a build without utf8proc: the live page's.
namespace xf {

std::string lower_case(std::string_view) {
  throw UserError("lower case needs utf8proc, and this program was built without it");
}

}  // namespace xf
