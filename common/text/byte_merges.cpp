#include "text/byte_merges.hpp"

#include <array>

#include "io/printable.hpp"
#include "io/utf8.hpp"
#include "tensor/error.hpp"

namespace xf {

namespace {

std::uint64_t key(int left, int right) {
  return std::uint64_t{static_cast<std::uint32_t>(left)} << 32 | static_cast<std::uint32_t>(right);
}

// The character of each byte.
const std::array<char32_t, 256>& characters() {
  static const auto all = [] {
    std::array<char32_t, 256> found{};
    char32_t next = 256;
    for (char32_t byte = 0; byte < 256; ++byte) {
      const bool prints = (byte > ' ' && byte < 127) || (byte > 160 && byte != 173);
      found[byte] = prints ? byte : next++;
    }
    return found;
  }();
  return all;
}

}  // namespace

ByteMerges::ByteMerges(std::unordered_map<std::string, int> ids, const std::vector<Pair>& merges,
                       int unknown, const std::string& name)
    : ids_(std::move(ids)) {
  for (int byte = 0; byte < 256; ++byte) {
    const int id = whole(std::string(1, static_cast<char>(byte)));
    bytes_.push_back(id < 0 ? unknown : id);
  }
  for (std::size_t i = 0; i < merges.size(); ++i) {
    const auto id_of = [&](const std::string& token) {
      const auto found = ids_.find(token);
      if (found != ids_.end()) return found->second;
      throw UserError(name + ": merge " + std::to_string(i + 1) + " needs the token " +
                      shortened(token) + ", which the vocabulary does not have");
    };
    const auto& [left, right] = merges[i];
    const int a = id_of(left), b = id_of(right);
    merges_[key(a, b)] = {static_cast<double>(i), id_of(left + right)};
  }
}

std::string ByteMerges::written(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes)
    append_code_point(text, characters()[static_cast<unsigned char>(byte)]);
  return text;
}

std::string ByteMerges::bytes(std::string_view written) {
  static const auto byte_of = [] {
    std::unordered_map<char32_t, char> all;
    for (std::size_t byte = 0; byte < 256; ++byte)
      all[characters()[byte]] = static_cast<char>(byte);
    return all;
  }();
  std::string result;
  while (!written.empty()) {
    const CodePoint point = first_code_point(written);
    const auto found = byte_of.find(point.value);
    if (found == byte_of.end())
      result += written.substr(0, point.bytes);
    else
      result += found->second;
    written.remove_prefix(point.bytes);
  }
  return result;
}

int ByteMerges::whole(std::string_view piece) const {
  const auto found = ids_.find(written(piece));
  return found == ids_.end() ? -1 : found->second;
}

std::vector<int> ByteMerges::encode(std::string_view piece) const {
  std::vector<int> ids;
  for (const char byte : piece)
    if (const int id = bytes_[static_cast<unsigned char>(byte)]; id >= 0) ids.push_back(id);
  const auto merge = [&](int left, int right) -> const TokenMerge* {
    const auto found = merges_.find(key(left, right));
    return found == merges_.end() ? nullptr : &found->second;
  };
  return merge_neighbours(ids, merge, [] { return false; });
}

}  // namespace xf
