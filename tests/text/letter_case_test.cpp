#include "text/letter_case.hpp"

#include <nlohmann/json.hpp>

#include "test_files.hpp"

using namespace xf;
using namespace xf::test;

TEST_CASE("lower_case: what Python's str.lower() makes of thousands of texts") {
  const auto golden = nlohmann::json::parse(content(XF_TEST_DATA "/lower_case.json"));
  REQUIRE(golden["probes"].size() > 4500);
  for (const auto& probe : golden["probes"]) {
    const std::string text = probe[0], expected = probe[1];
    if (lower_case(text) != expected) FAIL_CHECK(text << " -> " << lower_case(text));
  }
}

TEST_CASE("lower_case: a sigma ends a word behind a letter and before none") {
  CHECK(lower_case("ΟΔΟΣ ΣΟΦΙΑ") == "οδος σοφια");
  CHECK(lower_case("ΟΔΟΣ' ΟΔΟΣ. ΟΔΟΣ'Α") == "οδος' οδος. οδοσ'α");
  CHECK(lower_case("你Σ Α你Σ ΑΣ你 1Σ ΑΣ1 Α.Σ") == "你σ α你σ ας你 1σ ας1 α.ς");
  CHECK(lower_case("İ") == "i\u0307");
  CHECK(lower_case("A\xff\xce") == "a\xff\xce");  // bytes that are no UTF-8
}
