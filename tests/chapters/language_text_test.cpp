#include "08_transformer_xl/language_text.hpp"

#include <doctest/doctest.h>

#include <numeric>

namespace xf::test {

namespace {

std::vector<std::int32_t> counting(int count) {
  std::vector<std::int32_t> ids(static_cast<std::size_t>(count));
  std::iota(ids.begin(), ids.end(), 100);
  return ids;
}

}  // namespace

TEST_CASE("encode_text: a line break is <eos>, characters count code points and breaks") {
  const std::vector<std::string> lines = {"ab", "", "b你a"};
  for (const TokenizerKind kind : {TokenizerKind::character, TokenizerKind::word}) {
    const Tokenizer tokenizer = Tokenizer::train(kind, lines, 0);
    const language::LanguageText text = language::encode_text(tokenizer, lines);
    CHECK(text.characters == 8);
    CHECK(text.predictions() == (kind == TokenizerKind::word ? 5 : 8));
    CHECK(text.ids.front() == eos_id);
    CHECK(text.ids.back() == eos_id);
    const std::vector<int> ids(text.ids.begin() + 1, text.ids.end());
    CHECK(language::decode_text(tokenizer, ids) == "ab\n\nb你a\n");
  }
}

TEST_CASE("streams: every token is predicted once, from the one before it, at any segment") {
  for (const int count : {2, 13, 40})
    for (const int rows : {1, 3, 4})
      for (const int segment : {1, 5, 64})
        for (const int extended : {0, 3}) {
          const std::vector<std::int32_t> ids = counting(count);
          const language::Streams streams{ids, rows};
          std::vector<int> predicted(ids.size() + 100, 0);
          int counted = 0;
          for (std::ptrdiff_t begin = 0; begin < streams.length(); begin += segment) {
            const auto piece = streams.piece(0, rows, begin, segment, extended);
            const int t = piece.expected.size(1), context = piece.ids.size(1) - t;
            CHECK(context == std::min<std::ptrdiff_t>(extended, begin));
            counted += piece.counted;
            for (int row = 0; row < rows; ++row)
              for (int i = 0; i < t; ++i) {
                const std::int32_t target = piece.expected.at(row, i);
                if (target < 0) continue;
                ++predicted[static_cast<std::size_t>(target)];
                for (int back = 0; back <= context + i && back <= i; ++back)
                  CHECK(piece.ids.at(row, context + i - back) == target - 1 - back);
              }
          }
          CHECK(counted == count - 1);
          for (int id = 101; id < 100 + count; ++id)
            CHECK(predicted[static_cast<std::size_t>(id)] == 1);
        }
}

TEST_CASE("streams: groups of rows together are the whole batch") {
  const std::vector<std::int32_t> ids = counting(30);
  const language::Streams streams{ids, 4};
  const auto whole = streams.piece(0, 4, 3, 4, 2), lower = streams.piece(2, 4, 3, 4, 2);
  CHECK(whole.counted == streams.piece(0, 2, 3, 4, 2).counted + lower.counted);
  for (int row = 0; row < 2; ++row) {
    for (int i = 0; i < 6; ++i) CHECK(lower.ids.at(row, i) == whole.ids.at(row + 2, i));
    for (int i = 0; i < 4; ++i) CHECK(lower.expected.at(row, i) == whole.expected.at(row + 2, i));
  }
}

}  // namespace xf::test
