#include "08_transformer_xl/language_text.hpp"

#include <algorithm>
#include <filesystem>

#include "tensor/error.hpp"
#include "text/corpus.hpp"
#include "text/utf8.hpp"

namespace xf::language {

LanguageText encode_text(const Tokenizer& tokenizer, const std::vector<std::string>& lines) {
  LanguageText text{{eos_id}};
  for (const std::string& line : lines) {
    for (int id : tokenizer.encode(line)) text.ids.push_back(id);
    text.ids.push_back(eos_id);
    for (char byte : line) text.characters += (byte & 0xC0) != 0x80;  // UTF-8: first bytes only
    ++text.characters;
  }
  return text;
}

std::string decode_text(const Tokenizer& tokenizer, const std::vector<int>& ids) {
  std::string text;
  std::vector<int> line;
  for (int id : ids) {
    if (id != eos_id) line.push_back(id);
    if (id != eos_id) continue;
    text += tokenizer.decode(line) + "\n";
    line.clear();
  }
  return text + tokenizer.decode(line);
}

std::vector<std::string> read_text(const std::string& path) {
  if (!std::filesystem::is_directory(path)) return read_lines(path);
  std::vector<std::string> files, lines;
  for (const auto& entry : std::filesystem::directory_iterator(path))
    if (entry.path().extension() == ".md") files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  if (files.empty()) throw UserError(path + ": no *.md files in it");
  for (const std::string& file : files)
    for (std::string& line : read_lines(file)) lines.push_back(std::move(line));
  return lines;
}

Streams::Piece Streams::piece(int first, int last, std::ptrdiff_t begin, int segment,
                              int extended) const {
  const int t = static_cast<int>(std::min<std::ptrdiff_t>(segment, length() - begin));
  const int e = static_cast<int>(std::min<std::ptrdiff_t>(extended, begin));
  Piece piece{Ids::full({last - first, e + t}, pad_id), Ids::full({last - first, t}, -1), 0};
  for (int row = first; row < last; ++row)
    for (int i = -e; i < t; ++i) {
      const std::ptrdiff_t at = row * length() + begin + i;
      if (at >= predictions()) break;
      piece.ids.data()[(row - first) * (e + t) + e + i] = ids[static_cast<std::size_t>(at)];
      if (i < 0) continue;
      piece.expected.data()[(row - first) * t + i] = ids[static_cast<std::size_t>(at) + 1];
      ++piece.counted;
    }
  return piece;
}

}  // namespace xf::language
