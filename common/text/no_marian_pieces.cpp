#include "tensor/error.hpp"
#include "text/marian_pieces.hpp"

// Replaces marian_pieces.cpp in a build without SentencePiece, that of the live page.
namespace xf {

namespace {

[[noreturn]] void fail(const std::string& name) {
  throw UserError("{}: needs SentencePiece, and this program was built without it", name);
}

}  // namespace

MarianPieces MarianPieces::parse(const std::string&, const std::string& name, const std::string&,
                                 const std::string&, MarianVocabulary) {
  fail(name);
}
std::vector<int> MarianPieces::encode(std::string_view) const { fail("encode"); }
std::string MarianPieces::decode(const std::vector<int>&) const { fail("decode"); }

}  // namespace xf
