#include "text/bleu.hpp"

#include <nlohmann/json.hpp>

#include <cmath>
#include <stdexcept>

#include "io/files.hpp"
#include "support/kinds.hpp"
#include "test_files.hpp"
#include "text/bleu_doubt.hpp"

using namespace xf;
using namespace xf::test;
using Lines = std::vector<std::string>;

namespace {

// What sacreBLEU says: tests/golden/bleu_reference.py.
const nlohmann::json& golden() {
  static const auto read = nlohmann::json::parse(read_file(XF_TEST_DATA "/bleu_reference.json"));
  return read;
}

BleuOptions options_of(const nlohmann::json& expected) {
  return {named<BleuTokens>(expected["tokens"]), expected["lowercase"]};
}

}  // namespace

TEST_CASE("bleu: agrees with sacreBLEU to 1e-6, lines and signatures exactly") {
  REQUIRE(golden()["cases"].size() == 120);
  for (const auto& expected : golden()["cases"]) {
    CAPTURE(expected["corpus"]);
    CAPTURE(expected["tokens"]);
    CAPTURE(expected["lowercase"]);
    const auto& corpus = golden()["corpora"][std::string(expected["corpus"])];
    const Bleu b = bleu(corpus["hypotheses"], corpus["references"], options_of(expected));
    CHECK(std::abs(b.score - double(expected["score"])) < 1e-6);
    for (std::size_t n = 0; n < 4; ++n)
      CHECK(std::abs(b.precisions[n] - double(expected["precisions"][n])) < 1e-6);
    CHECK(std::abs(b.brevity_penalty - double(expected["brevity_penalty"])) < 1e-6);
    CHECK(b.hypothesis_length == expected["hypothesis_length"]);
    CHECK(b.reference_length == expected["reference_length"]);
    CHECK(b.str() == std::string(expected["line"]));
    CHECK(b.signature == std::string(expected["signature"]) + "|version:xf-1.0");
  }
}

TEST_CASE("bleu: tokens are sacreBLEU's") {
  for (const auto& expected : golden()["cases"]) {
    const Lines hypotheses = golden()["corpora"][std::string(expected["corpus"])]["hypotheses"];
    for (std::size_t i = 0; i < hypotheses.size(); ++i) {
      const Lines words = expected["hypothesis_tokens"][i];
      CHECK(bleu_tokens(hypotheses[i], options_of(expected)) == words);
    }
  }
}

TEST_CASE("bleu: worked by hand") {
  // 5 of 6 words, 3 of 5 pairs, 1 of 4 triples, none of 3 quadruples: smoothed to 1 / (2 * 3)
  const Bleu b = bleu({"the cat sat on the mat"}, {"the cat is on the mat"});
  CHECK(b.precisions[0] == doctest::Approx(100 * 5 / 6.0));
  CHECK(b.precisions[1] == doctest::Approx(100 * 3 / 5.0));
  CHECK(b.precisions[2] == doctest::Approx(100 * 1 / 4.0));
  CHECK(b.precisions[3] == doctest::Approx(100 / 6.0));
  CHECK(b.score == doctest::Approx(100 * std::pow(5 / 6.0 * 3 / 5 / 4 / 6, 0.25)));
  CHECK(b.brevity_penalty == 1);
  // one word short of 4: BP = exp(1 - 4/3); no hypothesis has a quadruple: 0
  const Bleu brief = bleu({"a b c"}, {"a b c d"});
  CHECK(brief.brevity_penalty == doctest::Approx(std::exp(-1 / 3.0)));
  CHECK(brief.score == 0);
}

TEST_CASE("bleu: the corpus is counted as a whole, not averaged") {
  const Lines hypotheses = {"a b c d e", "x y"}, references = {"a b c d e", "x z"};
  CHECK(bleu(hypotheses, references).precisions[0] == doctest::Approx(100 * 6 / 7.0));
}

TEST_CASE("bleu: zh sets apart what sacreBLEU's ranges name, as Python reads them") {
  const BleuOptions zh{.tokens = BleuTokens::zh};
  CHECK(bleu_tokens("我爱A—B", zh) == Lines{"我", "爱", "A", "—", "B"});
  CHECK(bleu_tokens("𠀀𠀁", zh) == Lines{"𠀀𠀁"});  // extension B is missed there, so here too
}

TEST_CASE("bleu: options and unequal corpora are checked") {
  for (const char* spelled : {"13a", "zh", "char", "none"})
    CHECK(name(named<BleuTokens>(spelled)) == spelled);
  CHECK_THROWS_WITH_AS(bleu({"a", "b"}, {"a"}), "bleu: 2 hypotheses, 1 references",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(bleu({}, {}), "bleu: 0 hypotheses, 0 references", std::invalid_argument);
}

TEST_CASE("bleu_doubt: short sentences and text without spaces, with the tokens that tell more") {
  const Lines chinese = {"猫正在房间里睡觉", "猫喝冷水", "猫走到河边", "两只狗在公园里奔跑"};
  const std::string clauses = "BLEU takes a clause without spaces for one word; ";
  CHECK(bleu_doubt(chinese, BleuTokens::mteval_13a).str() ==
        "--bleu-tokens 13a: " + clauses + "--bleu-tokens zh is more informative");
  CHECK(bleu_doubt(chinese, BleuTokens::none).str() ==
        "--bleu-tokens none: " + clauses + "--bleu-tokens zh is more informative");
  CHECK(bleu_doubt(chinese, BleuTokens::zh).empty());
  CHECK(bleu_doubt(chinese, BleuTokens::character).empty());
  CHECK(bleu_doubt({"今天 天气 很 好", "我们 去 公园 玩 吧"}, BleuTokens::mteval_13a).empty());
  // clauses with ASCII marks between them are more than four tokens
  const Lines marked = {"今天天气很好, 我们去公园玩, 然后回家", "她问, 你要去哪里? 他说, 回家去"};
  expect_parts(bleu_doubt(marked, BleuTokens::mteval_13a).str(), {"--bleu-tokens zh"});
  CHECK(bleu_doubt({"go now", "help me", "they all came home"}, BleuTokens::mteval_13a).str() ==
        "--bleu-tokens 13a: 2 of 3 references have fewer than four tokens, but BLEU counts runs of "
        "four; --bleu-tokens char is more informative");
  CHECK(bleu_doubt({"a dog runs home", "go"}, BleuTokens::mteval_13a).empty());
  CHECK(bleu_doubt({"a", "b"}, BleuTokens::mteval_13a).str() ==
        "--bleu-tokens 13a: 2 of 2 references have fewer than four tokens, but BLEU counts runs of "
        "four; perplexity is more informative");
}
