#include "fuzz/readers.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "io/files.hpp"
#include "tensor/random.hpp"

namespace xf::test {

namespace {

constexpr int damaged = 300;  // inputs a reader

// A file that was cut, or in which bytes were changed, left out, said twice, or taken from another.
std::string damage(std::string bytes, const std::string& other, Random& random) {
  const auto place = [&](const std::string& in) {
    return static_cast<std::size_t>(random.below(static_cast<int>(in.size()) + 1));
  };
  const auto a_byte = [&] {
    constexpr std::string_view telling = "{}[]\",:0123456789-.eE\\\n\0\xff\x80";
    return random.below(2) ? static_cast<char>(random.below(256))
                           : telling[static_cast<std::size_t>(random.below(int(telling.size())))];
  };
  for (int change = 1 + random.below(4); change > 0; --change) {
    const std::size_t at = place(bytes);
    const std::size_t length = std::min(bytes.size() - at, place(bytes) / 4 + 1);
    switch (random.below(6)) {
      case 0:
        bytes.resize(at);
        break;
      case 1:
        bytes.erase(at, length);
        break;
      case 2:
        bytes.insert(at, bytes.substr(at, length));
        break;
      case 3:
        bytes.insert(at, other.substr(place(other), length));
        break;
      case 4:
        bytes.insert(at, 1, a_byte());
        break;
      default:
        if (at < bytes.size()) bytes[at] = a_byte();
    }
  }
  return bytes;
}

}  // namespace

TEST_CASE("hostile files: whole ones are read, damaged ones are read or refused") {
  for (const HostileReader& reader : hostile_readers()) {
    CAPTURE(reader.name);
    for (const std::string& seed : reader.seeds) CHECK_NOTHROW(reader.read(seed));
    Random random(7);
    const auto any = [&]() -> const std::string& {
      return reader.seeds[static_cast<std::size_t>(random.below(int(reader.seeds.size())))];
    };
    for (int i = 0; i < damaged; ++i) {
      const std::string bytes = damage(any(), any(), random);
      CAPTURE(bytes);
      CHECK_NOTHROW(read_hostile(reader, bytes));
    }
  }
}

// What libFuzzer found once (fuzz/libfuzzer.cpp): golden/hostile/READER.WHAT
TEST_CASE("hostile files: what a reader once fell over") {
  const std::string folder = XF_TEST_DATA "/hostile";
  if (!is_directory(folder)) return;
  std::set<std::string> names;
  for (const HostileReader& reader : hostile_readers()) names.insert(reader.name);
  for (const std::string& name : directory_entries(folder)) {
    const std::string reader_name = name.substr(0, name.find('.'));
    REQUIRE_MESSAGE(names.contains(reader_name), name);
    for (const HostileReader& reader : hostile_readers())
      if (reader.name == reader_name)
        CHECK_NOTHROW(read_hostile(reader, read_file(folder + "/" + name)));
  }
}

}  // namespace xf::test
