#include "text/sentencepiece_file.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "tensor/error.hpp"

namespace xf {

namespace {

// Reads a Protocol Buffers varint from the front of `bytes` and removes it.
std::optional<std::uint64_t> take_varint(std::string_view& bytes) {
  std::uint64_t value = 0;
  for (int shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    const auto byte = static_cast<std::uint8_t>(bytes.front());
    bytes.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
    if (byte < 0x80) return value;
  }
  return std::nullopt;
}

// One field of a Protocol Buffers message: its value for wire type 0, its bytes for type 2.
struct Field {
  std::uint64_t number, type, value = 0;
  std::string_view bytes = {};
};
constexpr std::uint64_t varint = 0, eight_bytes = 1, length_delimited = 2, four_bytes = 5;

// The fields of a message, in order; nothing if it is truncated or not a message.
std::optional<std::vector<Field>> fields_of(std::string_view message) {
  std::vector<Field> fields;
  while (!message.empty()) {
    const auto tag = take_varint(message);
    if (!tag) return std::nullopt;
    Field field{*tag >> 3, *tag & 7};
    std::optional<std::uint64_t> length = 0;
    if (field.type == varint) {
      const auto value = take_varint(message);
      if (!value) return std::nullopt;
      field.value = *value;
    } else if (field.type == length_delimited) {
      length = take_varint(message);
    } else if (field.type == eight_bytes || field.type == four_bytes) {
      length = field.type == eight_bytes ? 8 : 4;
    } else {
      return std::nullopt;
    }
    if (!length || *length > message.size()) return std::nullopt;
    field.bytes = message.substr(0, *length);
    message.remove_prefix(*length);
    fields.push_back(field);
  }
  return fields;
}

// The table of character replacements: a size, a trie of that many bytes, and texts terminated by a
// zero byte. The trie is a double array (Darts-clone): a unit holds its label and the offset to its
// children, with the child for byte c at `base ^ c`, and its value, if any, at `base`.
class CharacterTable {
 public:
  explicit CharacterTable(std::string_view bytes) {
    std::uint32_t size = 0;
    if (bytes.size() <= sizeof(size)) return;
    std::memcpy(&size, bytes.data(), sizeof(size));
    bytes.remove_prefix(sizeof(size));
    if (size >= bytes.size() || size % sizeof(std::uint32_t) != 0) return;
    units_.resize(size / sizeof(std::uint32_t));
    std::copy_n(bytes.data(), size, reinterpret_cast<char*>(units_.data()));
    texts_ = bytes.substr(size);
  }

  // Whether, for any text, the search for its characters stays within the units, and its results
  // within the texts. SentencePiece has room for 32 matches at one position.
  bool is_sound() const {
    if (units_.empty()) return false;
    constexpr int max_finds = 32;
    const std::size_t last_zero = texts_.rfind('\0');
    std::vector<int> finds(units_.size(), -1);  // the most matches on a path to each unit
    std::vector<std::uint32_t> open = {0};
    finds[0] = 0;
    while (!open.empty()) {
      const std::uint32_t at = open.back(), unit = units_[at];
      open.pop_back();
      const std::uint32_t base = at ^ offset(unit);
      if ((base | 255) >= units_.size()) return false;
      int here = finds[at];
      if (at != 0 && has_text(unit)) {
        const std::uint32_t text = units_[base] & 0x7FFFFFFF;
        if (last_zero == texts_.npos || text > last_zero || ++here > max_finds) return false;
      }
      for (std::uint32_t byte = 0; byte < 256; ++byte) {
        const std::uint32_t child = base ^ byte;
        if ((units_[child] & 0x800000FF) != byte || finds[child] >= here) continue;
        finds[child] = here;
        open.push_back(child);
      }
    }
    return true;
  }

 private:
  static std::uint32_t offset(std::uint32_t unit) { return (unit >> 10) << ((unit & 512) >> 6); }
  static bool has_text(std::uint32_t unit) { return unit >> 8 & 1; }

  std::vector<std::uint32_t> units_;
  std::string_view texts_;
};

}  // namespace

// Fields of a ModelProto: pieces = 1, trainer_spec = 2 and normalizer_spec = 3 are required;
// denormalizer_spec = 5.
std::optional<std::uint64_t> sentencepiece_type(std::string_view bytes, const std::string& name) {
  const auto model = fields_of(bytes);
  if (!model) return std::nullopt;
  bool found[4] = {};
  std::uint64_t type = 1;  // the default of trainer_spec
  for (const Field& field : *model) {
    if (field.type != length_delimited) return std::nullopt;
    if (field.number < 4) found[field.number] = true;
    const bool trainer = field.number == 2, normalizer = field.number == 3 || field.number == 5;
    if (!trainer && !normalizer) continue;
    const auto options = fields_of(field.bytes);
    if (!options) return std::nullopt;
    for (const Field& option : *options) {
      if (trainer && option.number == 3 && option.type == varint) type = option.value;
      if (normalizer && option.number == 2 && option.type == length_delimited &&
          !option.bytes.empty() && !CharacterTable(option.bytes).is_sound())
        throw UserError("{}: precompiled_charsmap: a table that points outside itself", name);
    }
  }
  return found[1] && found[2] && found[3] ? std::optional(type) : std::nullopt;
}

}  // namespace xf
