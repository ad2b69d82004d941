#include "text/character_stream.hpp"

#include <algorithm>
#include <utility>

#include "io/utf8.hpp"

namespace xf {

namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";

// The size of the longest prefix that is, or begins, a character; at least 1.  RFC 3629, section 4
std::size_t begun(std::string_view bytes) {
  const auto first = static_cast<unsigned char>(bytes[0]);
  const std::size_t most = std::min(character_length(first), bytes.size());
  std::size_t count = 1;
  while (count < most) {
    const auto byte = static_cast<unsigned char>(bytes[count]);
    const bool second = count == 1;
    const int least = second && first == 0xE0 ? 0xA0 : second && first == 0xF0 ? 0x90 : 0x80;
    const int last = second && first == 0xED ? 0x9F : second && first == 0xF4 ? 0x8F : 0xBF;
    if (byte < least || byte > last) break;
    ++count;
  }
  return count;
}

}  // namespace

std::string CharacterStream::take(std::string_view bytes) {
  waiting_ += bytes;
  std::string text;
  std::string_view rest = waiting_;
  while (!rest.empty()) {
    const std::size_t count = begun(rest);
    const std::string_view front = rest.substr(0, count);
    const bool whole = valid_utf8(front);
    if (!whole && count == rest.size() &&
        count < character_length(static_cast<unsigned char>(rest[0])))
      break;
    text += whole ? front : replacement;
    rest.remove_prefix(count);
  }
  waiting_ = std::string(rest);
  return text;
}

std::string CharacterStream::end() {
  return std::exchange(waiting_, "").empty() ? "" : std::string(replacement);
}

}  // namespace xf
