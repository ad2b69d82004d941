#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/character_stream.hpp"

namespace xf {

class JsonObject;

// How tokens spell a text: the `decoder` of a tokenizer.json. ByteLevel, where tokens consist of
// bytes; Metaspace, where a mark stands for a space; or some of Replace, ByteFallback (<0x0A> is a
// byte), Fuse and Strip, in this order. Without any, tokens are separated by spaces; with WordPiece
// there is no space before a token that begins with a mark, which is removed, nor before "." and
// the like.
struct Spelling {
  enum class Kind { spaced, byte_level, metaspace, pieces } kind = Kind::spaced;
  std::string mark = {};    // for metaspace; for spaced, "" if there is none
  bool marks_first = true;  // whether the mark of the first token stands for no space
  std::vector<std::pair<std::string, std::string>> replaced = {};  // within a token
  bool byte_fallback = false;
  std::string stripped = {};  // from the front of the text, up to `most` times
  int most = 0;

  // Throws UserError naming the key for anything unknown.
  static Spelling read(const JsonObject& part);
};

// Decodes a text token by token.
class TokenText {
 public:
  explicit TokenText(Spelling spelling) : spelling_(std::move(spelling)) {}

  // What this token adds to the text. Only complete characters are returned: other bytes wait for
  // the next token, and invalid UTF-8 becomes U+FFFD.
  std::string take(std::string_view token);
  // What is left at the end.
  std::string end();

 private:
  std::string bytes_so_far();
  std::string stripped(std::string text);

  Spelling spelling_;
  CharacterStream characters_;
  std::string bytes_;  // of the <0x..> tokens since the last other token
  bool first_ = true;
  int stripped_ = 0;
};

}  // namespace xf
