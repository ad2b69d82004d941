#include "text/token_table.hpp"

#include <algorithm>
#include <functional>

#include "io/json_object.hpp"
#include "io/printable.hpp"
#include "tensor/error.hpp"

namespace xf {

TokenTable::TokenTable(const std::vector<std::string>& tokens) {
  for (std::size_t i = 0; i < tokens.size(); ++i) add(tokens[i], static_cast<int>(i));
  finish("tokens");
}

TokenTable TokenTable::read(const std::string& path) {
  const std::string text = JsonObject::content(path, JsonObject::tables);
  TokenTable table;
  table.reserve(text.size());
  const auto take = [&](const std::string& token, const nlohmann::json& id) {
    table.take(path + ": ", token, id);
  };
  JsonObject::parse(text, path, {{"", take}});
  table.finish(path);
  return table;
}

void TokenTable::take(const std::string& place, const std::string& token,
                      const nlohmann::json& value) {
  const std::string name = place + shortened(token);
  const int id = JsonObject::integer_of(value, 0, name);
  if (id >= max_ids) throw UserError("{}: the id {} is too large", name, id);
  add(token, id);
}

void TokenTable::reserve(std::size_t bytes) {
  constexpr std::size_t shortest = 6;  // "a":1,
  bytes_.reserve(bytes);
  entries_.reserve(bytes / shortest + 1);
}

void TokenTable::add(std::string_view token, int id) {
  entries_.push_back(
      {static_cast<std::uint32_t>(bytes_.size()), static_cast<std::uint32_t>(token.size()), id});
  bytes_ += token;
}

void TokenTable::finish(const std::string& name) {
  const auto by_id = [](const Entry& a, const Entry& b) {
    return std::pair(a.id, a.begin) < std::pair(b.id, b.begin);
  };
  std::sort(entries_.begin(), entries_.end(), by_id);
  for (std::size_t i = 1; i < entries_.size(); ++i)
    if (entries_[i].id == entries_[i - 1].id)
      throw UserError("{}: {} and {} have the same id, {}", name, shortened(text(entries_[i - 1])),
                      shortened(text(entries_[i])), entries_[i].id);
  slots_.assign(entries_.size() + entries_.size() / 2 + 1, free_slot);
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const std::string_view token = text(entries_[i]);
    std::size_t slot = first_slot(token);
    for (; slots_[slot] != free_slot; slot = (slot + 1) % slots_.size())
      if (text(entries_[slots_[slot]]) == token)
        throw UserError("{}: the key \"{}\" occurs twice", name, shortened(token));
    slots_[slot] = static_cast<std::uint32_t>(i);
  }
}

std::size_t TokenTable::first_slot(std::string_view token) const {
  return std::hash<std::string_view>{}(token) % slots_.size();
}

int TokenTable::find(std::string_view token) const {
  if (slots_.empty()) return -1;
  for (std::size_t slot = first_slot(token); slots_[slot] != free_slot;
       slot = (slot + 1) % slots_.size())
    if (const Entry& entry = entries_[slots_[slot]]; text(entry) == token) return entry.id;
  return -1;
}

std::string_view TokenTable::token(int id) const {
  const auto before = [](const Entry& entry, int wanted) { return entry.id < wanted; };
  const auto at = std::lower_bound(entries_.begin(), entries_.end(), id, before);
  return at != entries_.end() && at->id == id ? text(*at) : std::string_view();
}

}  // namespace xf
