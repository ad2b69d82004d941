#pragma once

#include <array>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace xf {

// The first four ids of every vocabulary.
inline constexpr int pad_id = 0, bos_id = 1, eos_id = 2, unk_id = 3, special_count = 4;
// The tokens that a model never writes, however likely they are: <pad>, <bos> and <unk>.
constexpr bool may_be_written(int id) { return id != pad_id && id != bos_id && id != unk_id; }
inline constexpr int never_written = 3;

// Tokens and their ids, which are the indices in the list: <pad>, <bos>, <eos>, <unk>, then others.
class Vocabulary {
 public:
  Vocabulary();  // only the four specials

  // Tokens by decreasing count, ties in code point order. Those seen less than `min_count` times
  // are left out, as are those beyond `max_size` (which counts the specials; 0: no limit).
  static Vocabulary of(const std::unordered_map<std::string, long>& counts, int max_size,
                       int min_count);

  int size() const { return static_cast<int>(tokens_.size()); }
  // unk_id for an unknown token, and for text that spells <pad>, <bos> or <eos>.
  int id(std::string_view token) const;
  // Throws std::invalid_argument for an unknown id.
  const std::string& token(int id) const;
  // Throws std::invalid_argument for a token that it already has.
  void add(const std::string& token);

  bool operator==(const Vocabulary& other) const { return tokens_ == other.tokens_; }

  // One token a line; line number from 0 = id. Both throw UserError: parse(), which takes the text
  // of such a file, for a wrong special, a repeated or an empty token, naming file and line.
  void write(const std::string& path) const;
  static Vocabulary parse(const std::string& text, const std::string& path);

 private:
  static constexpr std::array<std::string_view, special_count> specials = {"<pad>", "<bos>",
                                                                           "<eos>", "<unk>"};
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  std::vector<std::string> tokens_;
  std::unordered_map<std::string, int, Hash, std::equal_to<>> ids_;
};

}  // namespace xf
