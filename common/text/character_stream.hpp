#pragma once

#include <string>
#include <string_view>

namespace xf {

// Turns bytes that arrive in pieces, as the tokens of a text do, into characters, which are
// returned only when complete. An incomplete character, or a byte that begins none, becomes one
// U+FFFD, as Unicode recommends (The Unicode Standard, 3.9: maximal subparts).
class CharacterStream {
 public:
  // The characters that are complete now.
  std::string take(std::string_view bytes);
  // What is left at the end of the text.
  std::string end();

 private:
  std::string waiting_;
};

}  // namespace xf
