#include "plot/png.hpp"

#include <array>
#include <stdexcept>

namespace xf {

namespace {

constexpr std::array<std::uint32_t, 256> crc_table = [] {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    table[byte] = byte;
    for (int bit = 0; bit < 8; ++bit)
      table[byte] = table[byte] & 1 ? 0xEDB88320u ^ table[byte] >> 1 : table[byte] >> 1;
  }
  return table;
}();

std::string big_endian(std::uint32_t value) {
  std::string bytes;
  for (int shift : {24, 16, 8, 0}) bytes += static_cast<char>(value >> shift & 255);
  return bytes;
}

// length, type, data, checksum of type and data
std::string chunk(const std::string& type, const std::string& data) {
  const std::string content = type + data;
  return big_endian(static_cast<std::uint32_t>(data.size())) + content + big_endian(crc32(content));
}

// Blocks of at most 65535 bytes: last-block flag, length, its complement (little-endian), bytes.
std::string zlib_stored(std::string_view bytes) {
  std::string result = "\x78\x01";
  for (std::size_t at = 0; at < bytes.size(); at += 65535) {
    const std::string_view block = bytes.substr(at, 65535);
    const auto size = static_cast<unsigned>(block.size());
    result += at + size == bytes.size() ? '\1' : '\0';
    for (unsigned value : {size, ~size}) {
      result += static_cast<char>(value & 255);
      result += static_cast<char>(value >> 8 & 255);
    }
    result += block;
  }
  return result + big_endian(adler32(bytes));
}

}  // namespace

std::uint32_t crc32(std::string_view bytes) {
  std::uint32_t crc = ~0u;
  for (char byte : bytes)
    crc = crc_table[(crc ^ static_cast<unsigned char>(byte)) & 255] ^ crc >> 8;
  return ~crc;
}

std::uint32_t adler32(std::string_view bytes) {
  std::uint32_t low = 1, high = 0;
  for (char byte : bytes) {
    low = (low + static_cast<unsigned char>(byte)) % 65521;
    high = (high + low) % 65521;
  }
  return high << 16 | low;
}

std::string png(int width, int height, const std::vector<Rgb>& pixels) {
  if (width < 1 || height < 1 ||
      pixels.size() != static_cast<std::size_t>(width) * static_cast<std::size_t>(height))
    throw std::invalid_argument("png: " + std::to_string(pixels.size()) + " pixels are not " +
                                std::to_string(width) + " x " + std::to_string(height));
  std::string rows;
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    if (i % static_cast<std::size_t>(width) == 0) rows += '\0';  // each row: no filter
    for (std::uint8_t channel : {pixels[i].red, pixels[i].green, pixels[i].blue})
      rows += static_cast<char>(channel);
  }
  const std::string eight_bit_rgb{8, 2, 0, 0, 0};
  return "\x89PNG\r\n\x1a\n" +
         chunk("IHDR", big_endian(static_cast<std::uint32_t>(width)) +
                           big_endian(static_cast<std::uint32_t>(height)) + eight_bit_rgb) +
         chunk("IDAT", zlib_stored(rows)) + chunk("IEND", "");
}

}  // namespace xf
