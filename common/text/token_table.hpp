#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace xf {

// The tokens of a published vocabulary and their ids, which may have gaps. Such files have hundreds
// of thousands of tokens, and hostile ones more: here a token takes its bytes and 18 more, where a
// map of strings would take a hundred.
class TokenTable {
 public:
  static constexpr int max_ids = 1 << 24;

  TokenTable() = default;
  // Tokens whose ids are their places in the list.
  explicit TokenTable(const std::vector<std::string>& tokens);

  // A file {"token": id, ...}. Throws UserError naming the file and the token, also for an id of
  // max_ids or more.
  static TokenTable read(const std::string& path);
  // Adds a member of such an object, whose name in an error is `place` and the token.
  void take(const std::string& place, const std::string& token, const nlohmann::json& id);

  // Capacity for what a file of this many bytes can hold. It takes no memory before it is used.
  void reserve(std::size_t bytes);
  void add(std::string_view token, int id);
  // Must be called after the last add() and before the first search. Throws UserError that begins
  // with `name` for a token that was added twice, and for two tokens with one id.
  void finish(const std::string& name);

  std::size_t count() const { return entries_.size(); }
  // The largest id, or -1.
  int last() const { return entries_.empty() ? -1 : entries_.back().id; }
  // The id of a token, or -1.
  int find(std::string_view token) const;
  // The token of an id, or "".
  std::string_view token(int id) const;

 private:
  struct Entry {  // in the order of the ids
    std::uint32_t begin, size;
    int id;
  };
  std::string_view text(const Entry& entry) const {
    return std::string_view(bytes_).substr(entry.begin, entry.size);
  }
  // The place in slots_ where the search for a token begins.
  std::size_t first_slot(std::string_view token) const;

  std::string bytes_;
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> slots_;  // places in entries_ by the tokens' hashes: open addressing
};

}  // namespace xf
