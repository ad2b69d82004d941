#include "text/byte_merges.hpp"

#include <algorithm>
#include <array>
#include <tuple>
#include <unordered_map>

#include "io/printable.hpp"
#include "io/utf8.hpp"
#include "tensor/error.hpp"

namespace xf {

namespace {

// The character that represents each byte.
constexpr std::array<char32_t, 256> byte_characters = [] {
  std::array<char32_t, 256> all{};
  char32_t next = 256;
  for (char32_t byte = 0; byte < 256; ++byte) {
    const bool prints = (byte > ' ' && byte < 127) || (byte > 160 && byte != 173);
    all[byte] = prints ? byte : next++;
  }
  return all;
}();

}  // namespace

ByteMerges::ByteMerges(TokenTable tokens, Unknown unknown, std::string name)
    : tokens_(std::move(tokens)), name_(std::move(name)), unknown_(unknown) {
  for (int byte = 0; byte < 256; ++byte) {
    bytes_.push_back(whole(std::string(1, static_cast<char>(byte))));
    fallback_.push_back(tokens_.find(formatted("<0x%02X>", byte)));
  }
}

ByteMerges::ByteMerges(TokenTable tokens, const std::vector<Pair>& merges, Unknown unknown,
                       std::string name)
    : ByteMerges(std::move(tokens), unknown, std::move(name)) {
  for (const auto& [left, right] : merges) add(left, right);
  finish();
}

void ByteMerges::reserve(std::size_t bytes) {
  constexpr std::size_t shortest = 4;  // "a b" and its line break
  merges_.reserve(bytes / shortest + 1);
}

void ByteMerges::add(std::string_view left, std::string_view right) {
  const auto id_of = [&](std::string_view token) {
    if (const int id = tokens_.find(token); id >= 0) return id;
    throw UserError("{}: merge {} needs the token {}, which the vocabulary does not have", name_,
                    merges_.size() + 1, shortened(token));
  };
  const int a = id_of(left), b = id_of(right);
  merges_.push_back({a, b, added_++, id_of(std::string(left).append(right))});
  if (merges_.size() < sorted_at_) return;
  finish();
  sorted_at_ = std::max(sorted_at_, 2 * merges_.size());
}

void ByteMerges::finish() {
  const auto order = [](const Merge& a, const Merge& b) {
    return std::tie(a.left, a.right, b.rank) < std::tie(b.left, b.right, a.rank);
  };
  const auto same = [](const Merge& a, const Merge& b) {
    return a.left == b.left && a.right == b.right;
  };
  std::sort(merges_.begin(), merges_.end(), order);  // of equal pairs, the last one comes first
  merges_.erase(std::unique(merges_.begin(), merges_.end(), same), merges_.end());
}

std::optional<TokenMerge> ByteMerges::find(int left, int right) const {
  const auto before = [](const Merge& merge, const std::pair<int, int>& pair) {
    return std::tie(merge.left, merge.right) < std::tie(pair.first, pair.second);
  };
  const auto at = std::lower_bound(merges_.begin(), merges_.end(), std::pair(left, right), before);
  if (at == merges_.end() || at->left != left || at->right != right) return {};
  return TokenMerge{static_cast<double>(at->rank), at->joined};
}

std::string ByteMerges::written(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes)
    append_code_point(text, byte_characters[static_cast<unsigned char>(byte)]);
  return text;
}

std::string ByteMerges::bytes(std::string_view written) {
  static const auto byte_of = [] {
    std::unordered_map<char32_t, char> all;
    for (std::size_t byte = 0; byte < 256; ++byte)
      all[byte_characters[byte]] = static_cast<char>(byte);
    return all;
  }();
  std::string result;
  bool all_bytes = true;
  for_each_character(written, [&](char32_t value, std::string_view) {
    const auto found = byte_of.find(value);
    all_bytes = all_bytes && found != byte_of.end();
    if (all_bytes) result += found->second;
  });
  return all_bytes ? result : std::string(written);
}

int ByteMerges::whole(std::string_view piece) const { return tokens_.find(written(piece)); }

std::vector<int> ByteMerges::merged(const std::vector<int>& ids) const {
  const auto merge = [&](int left, int right) { return find(left, right); };
  return merge_neighbours(ids, merge, [] { return false; });
}

std::vector<int> ByteMerges::encode(std::string_view piece) const {
  std::vector<int> ids;
  for (const char byte : piece) {
    ids.push_back(bytes_[static_cast<unsigned char>(byte)]);
    if (ids.back() < 0) return encode_characters(written(piece));
  }
  return merged(ids);
}

std::vector<int> ByteMerges::encode_characters(std::string_view piece) const {
  std::vector<int> ids;
  int waiting = -1;  // the pending unknown token of a run of unknown characters
  const auto unknown = [&](int next) {
    if (waiting >= 0) ids.push_back(waiting);
    waiting = next;
  };
  for_each_character(piece, [&](char32_t, std::string_view character) {
    if (const int id = tokens_.find(character); id >= 0) {
      unknown(-1);
      ids.push_back(id);
      return;
    }
    const auto fallback = [&](char byte) { return fallback_[static_cast<unsigned char>(byte)]; };
    if (unknown_.as_bytes && std::all_of(character.begin(), character.end(),
                                         [&](char byte) { return fallback(byte) >= 0; })) {
      for (const char byte : character) ids.push_back(fallback(byte));
    } else if (waiting < 0 || !unknown_.fused) {
      unknown(unknown_.id);
    }
  });
  unknown(-1);
  return merged(ids);
}

}  // namespace xf
