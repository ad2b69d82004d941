#include "io/gguf_kinds.hpp"

#include <algorithm>
#include <iterator>

#include "tensor/stored_numbers.hpp"

namespace xf {

namespace {

// Five bits of each of 32 numbers: those of a byte's lower half belong to number j, those of the
// upper one to j + 16; bit j of the four bytes before them is the fifth of number j.
void take_five_bits(const char* bytes, int (&q)[32]) {
  for (int j = 0; j < 16; ++j) {
    const auto byte = static_cast<unsigned char>(bytes[4 + j]);
    q[j] = byte & 15;
    q[j + 16] = byte >> 4;
  }
  const auto high = bits_at<std::uint32_t>(bytes);
  for (int j = 0; j < 32; ++j) q[j] |= static_cast<int>(high >> j & 1) << 4;
}

// x = d (q - 16).
void read_q5_0(const char* from, std::ptrdiff_t count, float* to) {
  int q[32];
  for (std::ptrdiff_t i = 0; i < count; i += 32, from += 22) {
    take_five_bits(from + 2, q);
    const float d = from_f16(from);
    for (int j = 0; j < 32; ++j) to[i + j] = d * static_cast<float>(q[j] - 16);
  }
}

// x = d q + m.
void read_q5_1(const char* from, std::ptrdiff_t count, float* to) {
  int q[32];
  for (std::ptrdiff_t i = 0; i < count; i += 32, from += 24) {
    take_five_bits(from + 4, q);
    const float d = from_f16(from), m = from_f16(from + 2);
    for (int j = 0; j < 32; ++j) to[i + j] = d * static_cast<float>(q[j]) + m;
  }
}

// Scale and least value of a group of 32 among 8: 16 numbers of 6 bits in 12 bytes. Those of the
// first four groups lie whole; of the others the lower 4 bits, and the rest above the first ones.
struct GroupScales {
  int scale, least;
};
GroupScales group_scales(const char* bytes, int group) {
  const auto at = [&](int i) { return static_cast<int>(static_cast<unsigned char>(bytes[i])); };
  if (group < 4) return {at(group) & 63, at(group + 4) & 63};
  return {(at(group + 4) & 15) | at(group - 4) >> 6 << 4, at(group + 4) >> 4 | at(group) >> 6 << 4};
}

// Q4_K and Q5_K: d, m, the scales; fifth bits in 32 bytes; of each 64 numbers the first half in
// the lower halves of 32 bytes, the second in the upper ones.
template <bool five_bits>
void read_grouped(const char* from, std::ptrdiff_t count, float* to) {
  constexpr int fifths = 16, nibbles = five_bits ? 48 : 16, whole = nibbles + 128;
  for (std::ptrdiff_t i = 0; i < count; i += 256, from += whole) {
    const float d = from_f16(from), m = from_f16(from + 2);
    for (int group = 0; group < 8; ++group) {
      const auto [scale, least] = group_scales(from + 4, group);
      const float step = d * static_cast<float>(scale), down = m * static_cast<float>(least);
      for (int j = 0; j < 32; ++j) {
        const auto byte = static_cast<unsigned char>(from[nibbles + group / 2 * 32 + j]);
        int q = group % 2 == 0 ? byte & 15 : byte >> 4;
        if (five_bits) q |= (static_cast<unsigned char>(from[fifths + j]) >> group & 1) << 4;
        to[i + group * 32 + j] = step * static_cast<float>(q) - down;
      }
    }
  }
}

// Q6_K: lower 4 bits of 256 numbers, upper 2 bits, 16 scales, d. Each 128 numbers are four times
// 32: bytes 0-31 and 32-63 hold the lower bits of two of them each, byte j of the upper bits those
// of number j of all four.
void read_q6_k(const char* from, std::ptrdiff_t count, float* to) {
  for (std::ptrdiff_t i = 0; i < count; i += 256, from += 210) {
    const float d = from_f16(from + 208);
    for (int k = 0; k < 256; ++k) {
      const int half = k / 128, part = k % 128 / 32, j = k % 32;
      const auto low = static_cast<unsigned char>(from[half * 64 + part % 2 * 32 + j]);
      const auto high = static_cast<unsigned char>(from[128 + half * 32 + j]);
      const int q = (part < 2 ? low & 15 : low >> 4) | (high >> 2 * part & 3) << 4;
      const int scale = static_cast<signed char>(from[192 + k / 16]);
      to[i + k] = d * static_cast<float>(scale) * static_cast<float>(q - 32);
    }
  }
}

constexpr StoredFormat f32_kind{"F32", 4, read_each<from_f32, 4>},
    q5_0_kind{"Q5_0", 22, read_q5_0, 32}, q5_1_kind{"Q5_1", 24, read_q5_1, 32},
    q4_k_kind{"Q4_K", 144, read_grouped<false>, 256},
    q5_k_kind{"Q5_K", 176, read_grouped<true>, 256}, q6_k_kind{"Q6_K", 210, read_q6_k, 256};
constexpr struct {
  std::uint32_t id;
  const StoredFormat* format;
} gguf_kinds[] = {{0, &f32_kind},    {1, &f16_format}, {30, &bf16_format}, {2, &q4_0_format},
                  {3, &q4_1_format}, {6, &q5_0_kind},  {7, &q5_1_kind},    {8, &q8_0_format},
                  {12, &q4_k_kind},  {13, &q5_k_kind}, {14, &q6_k_kind}};
// Those that are not read, for the message.
constexpr struct {
  std::uint32_t id;
  const char* name;
} unread_kinds[] = {{9, "Q8_1"},    {10, "Q2_K"},    {11, "Q3_K"},  {15, "Q8_K"},   {16, "IQ2_XXS"},
                    {17, "IQ2_XS"}, {18, "IQ3_XXS"}, {19, "IQ1_S"}, {20, "IQ4_NL"}, {21, "IQ3_S"},
                    {22, "IQ2_S"},  {23, "IQ4_XS"},  {24, "I8"},    {25, "I16"},    {26, "I32"},
                    {27, "I64"},    {28, "F64"},     {29, "IQ1_M"}, {34, "TQ1_0"},  {35, "TQ2_0"},
                    {39, "MXFP4"}};

}  // namespace

const StoredFormat* gguf_kind(std::uint32_t id) {
  for (const auto& kind : gguf_kinds)
    if (kind.id == id) return kind.format;
  return nullptr;
}

std::string gguf_kind_name(std::uint32_t id) {
  if (const StoredFormat* known = gguf_kind(id)) return known->dtype;
  for (const auto& other : unread_kinds)
    if (other.id == id) return other.name;
  return std::to_string(id);
}

}  // namespace xf
