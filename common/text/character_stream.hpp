#pragma once

#include <string>
#include <string_view>

namespace xf {

// Bytes that come in pieces, as the tokens of a text do, as characters: no character is given
// before it is whole. Bytes that begin one which does not follow, and those that begin none, become
// one U+FFFD, as Unicode recommends (The Unicode Standard, 3.9: maximal subparts).
class CharacterStream {
 public:
  // The characters that are whole now.
  std::string take(std::string_view bytes);
  // What is left at the end of the text.
  std::string end();

 private:
  std::string waiting_;
};

}  // namespace xf
