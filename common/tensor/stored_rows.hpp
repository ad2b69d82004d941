#pragma once

#include <cstddef>
#include <cstdint>

namespace xf {

// 32 quantised numbers: x = step q + least.
struct WholeBlock {
  static constexpr int size = 32;
  std::int8_t q[size];
  float step, least;
};

// A number format, under the name used in files. `read` converts `count` numbers at any alignment
// to floats; null for formats that none of our tensors has, such as masks of BOOL. `bytes` is the
// size of a block, which is one number in safetensors and up to 256 in GGUF (io/gguf_kinds.hpp).
struct StoredFormat {
  const char* dtype;
  std::size_t bytes;
  void (*read)(const char* from, std::ptrdiff_t count, float* to);
  int block = 1;
  // Reads numbers 32 `group` ... of a block, for formats that 8-bit products use unconverted. Their
  // q have `bits` bits: 4, with values 0 to 15, or 8, and then `least` is 0.
  void (*read_whole)(const char* from, int group, WholeBlock& to) = nullptr;
  int bits = 0;
  // Whether reading is fast enough for products to do it at every use.
  bool stays = false;
};

// The formats that products read without a float32 copy.
extern const StoredFormat bf16_format, f16_format, q8_0_format, q4_0_format, q4_1_format,
    q5_0_format, q5_1_format, q4_k_format, q5_k_format, q6_k_format;

// The rows of a matrix as stored in a file, contiguous, each made of whole blocks.
struct StoredRows {
  const StoredFormat* format = nullptr;
  const char* first = nullptr;
  int columns = 0;

  std::ptrdiff_t row_bytes() const {
    return columns / format->block * static_cast<std::ptrdiff_t>(format->bytes);
  }
  StoredRows from(std::ptrdiff_t row) const { return {format, first + row * row_bytes(), columns}; }
  void read(std::ptrdiff_t rows, float* to) const { format->read(first, rows * columns, to); }
};

}  // namespace xf
