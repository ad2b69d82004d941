#pragma once

#include <string>
#include <string_view>

namespace xf {

// Turns bytes that arrive in pieces, as the tokens of a text do, into characters: none is returned
// before it is complete. An incomplete character, and a byte that begins none, becomes one U+FFFD,
// as Unicode recommends (The Unicode Standard, 3.9: maximal subparts).
class CharacterStream {
 public:
  // The characters that are complete now.
  std::string take(std::string_view bytes);
  // The rest at the end of the text.
  std::string end();

 private:
  std::string waiting_;
};

}  // namespace xf
