#include "text/vocabulary.hpp"

#include <algorithm>
#include <stdexcept>

#include "io/files.hpp"
#include "tensor/error.hpp"
#include "text/corpus.hpp"

namespace xf {

Vocabulary::Vocabulary() {
  for (std::string_view special : specials) add(std::string(special));
}

Vocabulary Vocabulary::of(const std::unordered_map<std::string, long>& counts, int max_size,
                          int min_count) {
  std::vector<std::pair<long, std::string>> ranked;
  for (const auto& [token, count] : counts)
    if (count >= min_count) ranked.emplace_back(-count, token);
  std::sort(ranked.begin(), ranked.end());  // UTF-8 byte order is code point order
  Vocabulary vocabulary;
  for (const auto& [count, token] : ranked) {
    if (max_size > 0 && vocabulary.size() >= max_size) break;
    if (!vocabulary.ids_.contains(token)) vocabulary.add(token);  // unless it spells a special
  }
  return vocabulary;
}

int Vocabulary::id(std::string_view token) const {
  const auto found = ids_.find(token);
  return found == ids_.end() || found->second < special_count ? unk_id : found->second;
}

const std::string& Vocabulary::token(int id) const {
  if (id < 0 || id >= size())
    throw std::invalid_argument("vocabulary: id " + std::to_string(id) + " of " +
                                std::to_string(size()));
  return tokens_[static_cast<std::size_t>(id)];
}

void Vocabulary::add(const std::string& token) {
  if (!ids_.emplace(token, size()).second)
    throw std::invalid_argument("vocabulary: \"" + token + "\" twice");
  tokens_.push_back(token);
}

void Vocabulary::write(const std::string& path) const {
  std::string text;
  for (const std::string& token : tokens_) text += token + "\n";
  write_file_atomically(path, text);
}

Vocabulary Vocabulary::parse(const std::string& text, const std::string& path) {
  const std::vector<std::string> lines = lines_of(text, path);
  for (std::size_t i = 0; i < specials.size(); ++i)
    if (i >= lines.size() || lines[i] != specials[i])
      throw i < lines.size()
          ? UserError("{}:{}: expected {}, found \"{}\"", path, i + 1, specials[i], lines[i])
          : UserError("{}:{}: expected {}, but the file ends", path, i + 1, specials[i]);
  Vocabulary vocabulary;
  for (std::size_t i = special_count; i < lines.size(); ++i) {
    const std::string at = path + ":" + std::to_string(i + 1);
    if (lines[i].empty()) throw UserError("{}: an empty token", at);
    const auto known = vocabulary.ids_.find(lines[i]);
    if (known != vocabulary.ids_.end())
      throw UserError("{}: \"{}\" is already on line {}", at, lines[i], known->second + 1);
    vocabulary.add(lines[i]);
  }
  return vocabulary;
}

}  // namespace xf
