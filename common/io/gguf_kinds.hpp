#pragma once

#include <cstdint>
#include <string>

#include "io/stored_tensors.hpp"

namespace xf {

// The kind of number with this id in a GGUF file: F32, F16, BF16, and blocks of 32 or 256 low-bit
// numbers that share a few floats. d and m are float16, q small integers:
//   Q8_0          x = d q,         q of 8 bits
//   Q4_0, Q5_0    x = d (q - 8),   d (q - 16)
//   Q4_1, Q5_1    x = d q + m
//   Q4_K, Q5_K    x = (d s_i) q - (m t_i), 8 times 32 numbers; s_i and t_i have 6 bits
//   Q6_K          x = (d s_i) (q - 32), 16 times 16 numbers; s_i has 8 bits
// Null for any other.
const StoredFormat* gguf_kind(std::uint32_t id);
// Its name, such as "Q2_K", or "42" if it is not known here.
std::string gguf_kind_name(std::uint32_t id);

}  // namespace xf
