#include "text/unicode.hpp"

#include <nlohmann/json.hpp>

#include "io/files.hpp"
#include "io/utf8.hpp"
#include "plot/png.hpp"
#include "test_files.hpp"

using namespace xf;
using namespace xf::test;

namespace {

// What Python's str.lower() makes of the texts below, written by lower_case.py.
nlohmann::json digests() {
  return nlohmann::json::parse(read_file(XF_TEST_DATA "/lower_case.json"));
}

}  // namespace

TEST_CASE("lower_case: every character of Unicode as Python has it, and what it is to a sigma") {
  const nlohmann::json digest = digests();
  for (char32_t plane = 0; plane < 17; ++plane) {
    std::string text;
    for (char32_t value = plane << 16; value < (plane + 1) << 16; ++value) {
      if (value >= 0xD800 && value < 0xE000) continue;  // no characters, but halves of some
      std::string character;
      append_code_point(character, value);
      text += "1" + character + "Σ1A" + character + "Σ";
    }
    CAPTURE(static_cast<int>(plane));
    CHECK(crc32(lower_case(text)) == digest["planes"][plane].get<std::uint32_t>());
  }
}

TEST_CASE("lower_case: every word of up to five letters that decide on a sigma, as Python has it") {
  std::vector<std::string> words{""};
  std::string lowered;
  for (std::size_t i = 0; i < 1 + 6 + 36 + 216 + 1296 + 7776; ++i) {
    for (const char* letter : {"Σ", "A", "'", "1", "ʰ", "İ"}) words.push_back(words[i] + letter);
    lowered += (i > 0 ? " " : "") + lower_case(words[i]);
  }
  CHECK(crc32(lowered) == digests()["words"].get<std::uint32_t>());
}

TEST_CASE("lower_case: a sigma ends a word behind a letter and before none") {
  CHECK(lower_case("ΟΔΟΣ ΣΟΦΙΑ") == "οδος σοφια");
  CHECK(lower_case("ΟΔΟΣ' ΟΔΟΣ. ΟΔΟΣ'Α") == "οδος' οδος. οδοσ'α");
  CHECK(lower_case("你Σ Α你Σ ΑΣ你 1Σ ΑΣ1 Α.Σ") == "你σ α你σ ας你 1σ ας1 α.ς");
}

TEST_CASE("lower_case: letters that are special") {
  CHECK(lower_case("İ") == "i\u0307");          // the only one that becomes two
  CHECK(lower_case("ǅ ǈ ǋ ǲ") == "ǆ ǉ ǌ ǳ");    // a capital and a small one in one
  CHECK(lower_case("\u212A \u212B") == "k å");  // the signs of Kelvin and Ångström
  CHECK(lower_case("ẞ Ა Ⅷ Ⓐ 𐐀") == "ß ა ⅷ ⓐ 𐐨");
  CHECK(lower_case("ı ß ªʰ 1٣ 你好 ΐ") == "ı ß ªʰ 1٣ 你好 ΐ");
  CHECK(lower_case("A\xff\xce") == "a\xff\xce");  // bytes that are no UTF-8
}
