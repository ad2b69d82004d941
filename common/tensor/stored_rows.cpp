#include "tensor/stored_rows.hpp"

#include "tensor/stored_numbers.hpp"

namespace xf {

namespace {

constexpr int size = WholeBlock::size;

// d, then 32 numbers of 8 bits: x = d q.
void whole_q8_0(const char* from, WholeBlock& to) {
  std::memcpy(to.q, from + 2, size);
  to.step = step_from(from), to.least = 0;
}

// The lower halves of 16 bytes are numbers 0 to 15, the upper ones 16 to 31.
void take_nibbles(const char* bytes, std::int8_t* q) {
  for (int j = 0; j < size / 2; ++j) {
    const auto byte = static_cast<unsigned char>(bytes[j]);
    q[j] = static_cast<std::int8_t>(byte & 15);
    q[j + size / 2] = static_cast<std::int8_t>(byte >> 4);
  }
}

// d: x = d (q - 8). Its parts d q and -8 d are exact, and so is their sum.
void whole_q4_0(const char* from, WholeBlock& to) {
  take_nibbles(from + 2, to.q);
  to.step = step_from(from), to.least = -8 * to.step;
}

// d and m: x = d q + m.
void whole_q4_1(const char* from, WholeBlock& to) {
  take_nibbles(from + 4, to.q);
  to.step = step_from(from), to.least = step_from(from + 2);
}

template <void (*whole)(const char*, WholeBlock&), int bytes>
void read_blocks(const char* from, std::ptrdiff_t count, float* to) {
  for (std::ptrdiff_t i = 0; i < count; i += size, from += bytes) {
    WholeBlock block;
    whole(from, block);
    for (int j = 0; j < size; ++j)
      to[i + j] = block.step * static_cast<float>(block.q[j]) + block.least;
  }
}

// The same for 4 bits, whose halves become floats without a block between: half of the time.
template <void (*whole)(const char*, WholeBlock&), int bytes>
void read_nibbles(const char* from, std::ptrdiff_t count, float* to) {
  constexpr int half = size / 2;
  for (std::ptrdiff_t i = 0; i < count; i += size, from += bytes) {
    WholeBlock block;
    whole(from, block);
    const float step = block.step, least = block.least;
    unsigned char pairs[half];
    std::memcpy(pairs, from + bytes - half, half);
    float* const x = to + i;
#pragma omp simd
    for (int j = 0; j < half; ++j) x[j] = step * static_cast<float>(pairs[j] & 15) + least;
#pragma omp simd
    for (int j = 0; j < half; ++j) x[half + j] = step * static_cast<float>(pairs[j] >> 4) + least;
  }
}

}  // namespace

const StoredFormat bf16_format{"BF16", 2, read_each<from_bf16, 2>, 1, nullptr, 0, true};
const StoredFormat f16_format{"F16", 2, read_each<from_f16, 2>, 1, nullptr, 0, true};
const StoredFormat q8_0_format{"Q8_0", 34, read_blocks<whole_q8_0, 34>, size, whole_q8_0, 8, true};
const StoredFormat q4_0_format{"Q4_0", 18, read_nibbles<whole_q4_0, 18>, size, whole_q4_0, 4, true};
const StoredFormat q4_1_format{"Q4_1", 20, read_nibbles<whole_q4_1, 20>, size, whole_q4_1, 4, true};

}  // namespace xf
