#include "exercise.hpp"

#include <sstream>

namespace xf::exercise {

static bool prints(int byte) {
  return (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
}

Tokens byte_characters() {
  Tokens characters;
  int others = 0;
  for (int byte = 0; byte < 256; ++byte)
    characters.push_back(utf8(prints(byte) ? byte : 256 + others++));
  return characters;
}

std::vector<Merge> read_merges(const std::string& text) {
  std::vector<Merge> merges;
  std::istringstream lines(text);
  bool first = true;
  for (std::string line; std::getline(lines, line); first = false) {
    if (line.empty() || (first && line.rfind("#version", 0) == 0)) continue;
    const std::size_t blank = line.find(' ');
    merges.emplace_back(line.substr(0, blank), line.substr(blank + 1));
  }
  return merges;
}

Tokens encode(const std::string& word, const std::vector<Merge>& merges) {
  const Tokens characters = byte_characters();
  Tokens tokens;
  for (const char byte : word) tokens.push_back(characters[static_cast<unsigned char>(byte)]);
  while (true) {
    auto best = merges.end();
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i)
      best =
          std::min(best, std::find(merges.begin(), merges.end(), Merge(tokens[i], tokens[i + 1])));
    if (best == merges.end()) return tokens;
    Tokens joined;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const bool here = i + 1 < tokens.size() && Merge(tokens[i], tokens[i + 1]) == *best;
      joined.push_back(here ? tokens[i] + tokens[i + 1] : tokens[i]);
      if (here) ++i;
    }
    tokens = joined;
  }
}

std::string decode(const Tokens& tokens) {
  const Tokens characters = byte_characters();
  std::string text, bytes;
  for (const std::string& token : tokens) text += token;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t size = static_cast<unsigned char>(text[at]) < 128 ? 1 : 2;
    const auto found = std::find(characters.begin(), characters.end(), text.substr(at, size));
    bytes += static_cast<char>(found - characters.begin());
    at += size;
  }
  return bytes;
}

}  // namespace xf::exercise
