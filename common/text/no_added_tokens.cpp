#include "tensor/error.hpp"
#include "text/added_tokens.hpp"

// Replaces added_tokens.cpp in a build without Oniguruma, that of the live page, which reads no
// published models.
namespace xf {

namespace {

[[noreturn]] void fail() {
  throw UserError("added tokens need Oniguruma, and this program was built without it");
}

}  // namespace

void AddedTokens::add(AddedToken) { fail(); }
const AddedToken* AddedTokens::find(std::string_view) const { fail(); }
const AddedToken* AddedTokens::find(int) const { fail(); }
void AddedTokens::finish(const std::function<std::string(std::string_view)>&) { fail(); }

}  // namespace xf
