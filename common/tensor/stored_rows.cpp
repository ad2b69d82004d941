#include "tensor/stored_rows.hpp"

#include "tensor/stored_numbers.hpp"

namespace xf {

namespace {

constexpr int size = WholeBlock::size, half = size / 2;

// 8 numbers of 8 bits in a word: on every processor, the compiler can shift and mask as many words
// at a time as fit in a vector.
constexpr int words = size / 8;
using Eights = std::uint64_t[words];
constexpr std::uint64_t each = 0x0101010101010101;

// The low nibbles of the 16 bytes are numbers 0 to 15, the high nibbles 16 to 31.
void take_nibbles(const char* bytes, Eights& q) {
  std::uint64_t pairs[words / 2];
  std::memcpy(pairs, bytes, half);
  for (int j = 0; j < words / 2; ++j) {
    q[j] = pairs[j] & 15 * each;
    q[j + words / 2] = pairs[j] >> 4 & 15 * each;
  }
}

// The same with a fifth bit: for number j, it is bit j of the four bytes before the nibbles. Byte j
// of `alone` has only that bit, in its place, so adding 127 sets the byte's top bit if it is set.
void take_five_bits(const char* bytes, Eights& q) {
  take_nibbles(bytes + 4, q);
  for (int j = 0; j < words; ++j) {
    const std::uint64_t alone = bits_at<std::uint8_t>(bytes + j) * each & 0x8040201008040201;
    q[j] |= (alone + 127 * each) >> 3 & 16 * each;
  }
}

void put(const Eights& from, int offset, std::int8_t (&q)[size]) {
  std::memcpy(q, from, size);
  for (int j = 0; j < size; ++j) q[j] = static_cast<std::int8_t>(q[j] - offset);
}

// x = step q + least, for `count` numbers of a block.
template <int count>
void write_floats(const std::int8_t* __restrict q, float step, float least, float* __restrict x) {
#pragma omp simd
  for (int j = 0; j < count; ++j) x[j] = step * static_cast<float>(q[j]) + least;
}

// Each type of block stores `numbers` numbers in `bytes` bytes; take() reads 32 of them.

// d, then 32 numbers of 8 bits: x = d q.
struct Q8_0 {
  static constexpr int numbers = size, bytes = 34;
  static void take(const char* from, int, WholeBlock& to) {
    std::memcpy(to.q, from + 2, size);
    to.step = step_from(from), to.least = 0;
  }
};

// d, then m if the format has one, then 32 numbers of 4 or 5 bits: x = d q + m, or without m
// x = d (q - 8) and x = d (q - 16). The parts d q and -8 d are exact, and so is their sum.
template <bool five_bits, bool has_least>
struct FewBits {
  static constexpr int steps = has_least ? 4 : 2, numbers = size,
                       bytes = steps + (five_bits ? 4 : 0) + half;
  static void take(const char* from, int, WholeBlock& to) {
    Eights q;
    five_bits ? take_five_bits(from + steps, q) : take_nibbles(from + steps, q);
    put(q, five_bits && !has_least ? 16 : 0, to.q);
    to.step = step_from(from);
    to.least = has_least ? step_from(from + 2) : five_bits ? 0 : -8 * to.step;
  }
};
using Q4_0 = FewBits<false, false>;
using Q4_1 = FewBits<false, true>;
using Q5_0 = FewBits<true, false>;
using Q5_1 = FewBits<true, true>;

// Scale and least value of one of 8 groups of 32: 16 numbers of 6 bits in 12 bytes. Those of the
// first four groups are in one piece. Of the others, the lower 4 bits are in the last four bytes,
// and the rest in the top bits of the bytes before.
struct GroupScales {
  int scale, least;
};
GroupScales group_scales(const char* bytes, int group) {
  const auto at = [&](int i) { return static_cast<int>(static_cast<unsigned char>(bytes[i])); };
  if (group < 4) return {at(group) & 63, at(group + 4) & 63};
  return {(at(group + 4) & 15) | at(group - 4) >> 6 << 4, at(group + 4) >> 4 | at(group) >> 6 << 4};
}

// Q4_K and Q5_K: d, m, the scales; the fifth bits in 32 bytes; for every 64 numbers 32 bytes, the
// first half in the low nibbles, the second in the high ones: x = d scale q - m least. Products of
// a float16, 6 bits and 5 are exact, and only the difference is rounded.
template <bool five_bits>
struct Grouped {
  static constexpr int numbers = 256, nibbles = five_bits ? 48 : 16, bytes = nibbles + 128;
  static void take(const char* from, int group, WholeBlock& to) {
    const auto [scale, least] = group_scales(from + 4, group);
    to.step = step_from(from) * static_cast<float>(scale);
    to.least = -step_from(from + 2) * static_cast<float>(least);
    Eights q, fifths = {};
    std::memcpy(q, from + nibbles + group / 2 * size, size);
    if (five_bits) std::memcpy(fifths, from + 16, size);
    for (int j = 0; j < words; ++j)
      q[j] = (q[j] >> group % 2 * 4 & 15 * each) | (fifths[j] >> group & each) << 4;
    put(q, 0, to.q);
  }
};

template <class Kind>
void read_blocks(const char* from, std::ptrdiff_t count, float* to) {
  for (std::ptrdiff_t i = 0; i < count; i += Kind::numbers, from += Kind::bytes)
    for (int group = 0; group < Kind::numbers / size; ++group) {
      WholeBlock block;
      Kind::take(from, group, block);
      write_floats<size>(block.q, block.step, block.least, to + i + group * size);
    }
}

// The same for 4 bits, with nibbles converted to floats without an intermediate block: with AVX2,
// in a third of the time (docs/results/logs/stored-weights.txt).
template <class Kind>
void read_nibbles(const char* from, std::ptrdiff_t count, float* to) {
  for (std::ptrdiff_t i = 0; i < count; i += size, from += Kind::bytes) {
    WholeBlock block;
    Kind::take(from, 0, block);
    const float step = block.step, least = block.least;
    unsigned char pairs[half];
    std::memcpy(pairs, from + Kind::bytes - half, half);
    float* const x = to + i;
#pragma omp simd
    for (int j = 0; j < half; ++j) x[j] = step * static_cast<float>(pairs[j] & 15) + least;
#pragma omp simd
    for (int j = 0; j < half; ++j) x[half + j] = step * static_cast<float>(pairs[j] >> 4) + least;
  }
}

// Q6_K: the lower 4 bits of 256 numbers, the upper 2, 16 scales of 8 bits, d: x = d scale (q - 32).
// Every 128 numbers form four groups of 32. Of the lower bits, bytes 0 to 31 and 32 to 63 hold two
// groups each; of the upper bits, byte j holds those of number j of all four.
void read_q6_k(const char* from, std::ptrdiff_t count, float* to) {
  constexpr int numbers = 256, bytes = 210;
  for (std::ptrdiff_t i = 0; i < count; i += numbers, from += bytes) {
    const float d = step_from(from + 208);
    for (int group = 0; group < numbers / size; ++group) {
      const int part = group % 4;
      Eights low, high;
      std::memcpy(low, from + group / 4 * 64 + part % 2 * size, size);
      std::memcpy(high, from + 128 + group / 4 * size, size);
      for (int j = 0; j < words; ++j)
        low[j] = (low[j] >> part / 2 * 4 & 15 * each) | (high[j] >> 2 * part & 3 * each) << 4;
      std::int8_t q[size];
      put(low, 32, q);
      for (int first = 0; first < size; first += half) {
        const auto scale = static_cast<signed char>(from[192 + (group * size + first) / half]);
        write_floats<half>(q + first, d * static_cast<float>(scale), 0,
                           to + i + group * size + first);
      }
    }
  }
}

template <class Kind>
constexpr StoredFormat whole_format(const char* name, decltype(StoredFormat::read) read, int bits) {
  return {name, Kind::bytes, read, Kind::numbers, bits ? Kind::take : nullptr, bits, true};
}

}  // namespace

const StoredFormat bf16_format{"BF16", 2, read_each<from_bf16, 2>, 1, nullptr, 0, true};
const StoredFormat f16_format{"F16", 2, read_each<from_f16, 2>, 1, nullptr, 0, true};
const StoredFormat q8_0_format = whole_format<Q8_0>("Q8_0", read_blocks<Q8_0>, 8);
const StoredFormat q4_0_format = whole_format<Q4_0>("Q4_0", read_nibbles<Q4_0>, 4);
const StoredFormat q4_1_format = whole_format<Q4_1>("Q4_1", read_nibbles<Q4_1>, 4);
const StoredFormat q5_0_format = whole_format<Q5_0>("Q5_0", read_blocks<Q5_0>, 8);
const StoredFormat q5_1_format = whole_format<Q5_1>("Q5_1", read_blocks<Q5_1>, 0);
const StoredFormat q4_k_format =
    whole_format<Grouped<false>>("Q4_K", read_blocks<Grouped<false>>, 4);
const StoredFormat q5_k_format = whole_format<Grouped<true>>("Q5_K", read_blocks<Grouped<true>>, 0);
const StoredFormat q6_k_format{"Q6_K", 210, read_q6_k, 256, nullptr, 0, true};

}  // namespace xf
