#include "tensor/error.hpp"
#include "text/byte_pairs.hpp"

// Replaces byte_pairs.cpp in a build without SentencePiece, that of the live page.
namespace xf {

namespace {

[[noreturn]] void fail(const std::string& name) {
  throw UserError("{}: byte pairs need SentencePiece, and this program was built without it", name);
}

}  // namespace

BytePairs BytePairs::train(const std::vector<std::string>&, int) { fail("--tokenizer bpe"); }
BytePairs BytePairs::parse(std::string, const std::string& name) { fail(name); }
std::vector<int> BytePairs::encode(std::string_view) const { fail("encode"); }
std::vector<int> BytePairs::sample(std::string_view, double, Random&) const { fail("sample"); }

}  // namespace xf
