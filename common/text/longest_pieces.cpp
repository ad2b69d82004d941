#include "text/longest_pieces.hpp"

#include "io/utf8.hpp"

namespace xf {

std::vector<int> LongestPieces::encode(std::string_view word) const {
  std::vector<std::size_t> ends;  // byte offset of the end of each character
  for_each_character(word, [&](char32_t, std::string_view bytes) {
    ends.push_back(static_cast<std::size_t>(bytes.end() - word.begin()));
  });
  if (std::ssize(ends) > rules_.longest_word) return {rules_.unknown};
  std::vector<int> ids;
  std::string piece;
  for (std::size_t begin = 0; begin < word.size();) {
    int id = -1;
    for (auto end = ends.rbegin(); id < 0 && end != ends.rend() && *end > begin; ++end) {
      piece = begin > 0 ? rules_.inside : "";
      piece += word.substr(begin, *end - begin);
      id = tokens_.find(piece);
      if (id >= 0) begin = *end;
    }
    if (id < 0) return {rules_.unknown};
    ids.push_back(id);
  }
  return ids;
}

}  // namespace xf
