#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "plot/viridis.hpp"

namespace xf {

// The checksums of PNG chunks (ISO 3309) and of zlib data (RFC 1950).
std::uint32_t crc32(std::string_view bytes);
std::uint32_t adler32(std::string_view bytes);

// The bytes of a PNG file (RFC 2083): 8-bit RGB, row-major, not compressed (deflate's stored
// blocks, RFC 1951). Throws std::invalid_argument unless there are width x height > 0 pixels.
std::string png(int width, int height, const std::vector<Rgb>& pixels);

}  // namespace xf
