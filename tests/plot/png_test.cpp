#include "plot/png.hpp"

#include <doctest/doctest.h>

#include <stdexcept>

namespace {

std::uint32_t big_endian(std::string_view bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = at; i < at + 4; ++i)
    value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

struct Chunk {
  std::string type, data;
};

// The chunks of a PNG file, whose checksums must be right.
std::vector<Chunk> chunks(const std::string& file) {
  REQUIRE(file.substr(0, 8) == "\x89PNG\r\n\x1a\n");
  std::vector<Chunk> found;
  for (std::size_t at = 8; at < file.size();) {
    const std::size_t size = big_endian(file, at);
    REQUIRE(at + 12 + size <= file.size());
    CHECK(big_endian(file, at + 8 + size) == xf::crc32(file.substr(at + 4, 4 + size)));
    found.push_back({file.substr(at + 4, 4), file.substr(at + 8, size)});
    at += 12 + size;
  }
  return found;
}

// What is in a zlib stream of stored blocks.
std::string inflated(const std::string& stream) {
  std::string bytes;
  CHECK((big_endian(stream, 0) >> 16) == 0x7801);
  bool last = false;
  std::size_t at = 2;
  while (!last) {
    const auto byte = [&](std::size_t i) {
      return unsigned(static_cast<unsigned char>(stream.at(at + i)));
    };
    last = byte(0) == 1;
    const unsigned size = byte(1) | byte(2) << 8;
    CHECK((size ^ (byte(3) | byte(4) << 8)) == 0xFFFF);
    bytes += stream.substr(at + 5, size);
    at += 5 + size;
  }
  CHECK(at + 4 == stream.size());
  CHECK(big_endian(stream, at) == xf::adler32(bytes));
  return bytes;
}

}  // namespace

TEST_CASE("crc32 and adler32: the published check values") {
  CHECK(xf::crc32("123456789") == 0xCBF43926u);
  CHECK(xf::crc32("IEND") == 0xAE426082u);
  CHECK(xf::adler32("Wikipedia") == 0x11E60398u);
  CHECK(xf::adler32("") == 1u);
}

TEST_CASE("png: header, checksums and pixels of a 2 x 2 picture") {
  const std::vector<Chunk> found =
      chunks(xf::png(2, 2, {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {250, 251, 252}}));
  REQUIRE(found.size() == 3);
  CHECK(found[0].type == "IHDR");
  CHECK(found[0].data == std::string{0, 0, 0, 2, 0, 0, 0, 2, 8, 2, 0, 0, 0});
  CHECK(found[1].type == "IDAT");
  CHECK(inflated(found[1].data) ==
        std::string{0, 1, 2, 3, 4, 5, 6, 0, 7, 8, 9, '\xfa', '\xfb', '\xfc'});
  CHECK(found[2].type == "IEND");
  CHECK(found[2].data.empty());
}

TEST_CASE("png: a picture of more than one deflate block, and of exactly one") {
  for (int width : {300, 21845 - 1, 21845}) {  // 3 * 21845 = 65535, and the filter byte
    const int height = width == 300 ? 200 : 1;
    std::vector<xf::Rgb> pixels(static_cast<std::size_t>(width * height));
    for (std::size_t i = 0; i < pixels.size(); ++i)
      pixels[i].green = static_cast<std::uint8_t>(i * 7);
    const std::string rows = inflated(chunks(xf::png(width, height, pixels))[1].data);
    REQUIRE(rows.size() == static_cast<std::size_t>(height * (3 * width + 1)));
    const auto last = pixels.size() - 1;
    CHECK(static_cast<std::uint8_t>(rows[rows.size() - 2]) == pixels[last].green);
  }
}

TEST_CASE("png: the pixels must fill the picture") {
  CHECK_THROWS_AS(xf::png(2, 2, {{1, 2, 3}}), std::invalid_argument);
  CHECK_THROWS_AS(xf::png(0, 0, {}), std::invalid_argument);
}
