#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace xf {

// The tokens of a published vocabulary and their ids, which may have gaps. Such files have hundreds
// of thousands of tokens, and malicious ones more: here, a token takes 18 bytes in addition to its
// text, whereas a map of strings would take a hundred.
class TokenTable {
 public:
  static constexpr int max_ids = 1 << 24;

  TokenTable() = default;
  // Tokens whose ids are their indices in the list.
  explicit TokenTable(const std::vector<std::string>& tokens);

  // Reads a file {"token": id, ...}. Throws UserError naming the file and the token, also for an id
  // of max_ids or more.
  static TokenTable read(const std::string& path);
  // Adds a member of such an object; error messages call it `place` followed by the token.
  void take(const std::string& place, const std::string& token, const nlohmann::json& id);

  // Reserves capacity for what a file of this many bytes can hold. Unused capacity takes no memory.
  void reserve(std::size_t bytes);
  void add(std::string_view token, int id);
  // Must be called after the last add() and before the first search. Throws UserError that begins
  // with `name` if a token was added twice, or if two tokens have the same id.
  void finish(const std::string& name);

  std::size_t count() const { return entries_.size(); }
  // The largest id, or -1.
  int last() const { return entries_.empty() ? -1 : entries_.back().id; }
  // The id of a token, or -1.
  int find(std::string_view token) const;
  // The token of an id, or "".
  std::string_view token(int id) const;

 private:
  struct Entry {  // sorted by id
    std::uint32_t begin, size;
    int id;
  };
  std::string_view text(const Entry& entry) const {
    return std::string_view(bytes_).substr(entry.begin, entry.size);
  }
  // The index in slots_ at which the search for a token begins.
  std::size_t first_slot(std::string_view token) const;

  std::string bytes_;
  std::vector<Entry> entries_;
  static constexpr std::uint32_t free_slot = ~std::uint32_t{0};
  std::vector<std::uint32_t> slots_;  // indices into entries_, hashed by token: open addressing
};

}  // namespace xf
