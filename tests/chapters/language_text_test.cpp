#include "08_transformer_xl/program/language_text.hpp"

#include <doctest/doctest.h>

#include <numeric>

#include "support/errors.hpp"
#include "support/temporary.hpp"
#include "tensor/error.hpp"

namespace xf::test {

namespace {

TokenFile counting(int count) {
  std::vector<std::int32_t> ids(static_cast<std::size_t>(count));
  std::iota(ids.begin(), ids.end(), 100);
  return TokenFile(ids);
}

// A file with this content, gone with the object.
struct Written {
  TemporaryDirectory directory;
  std::string path;

  explicit Written(const std::string& content) : path(directory.file("text", content)) {}
};

}  // namespace

TEST_CASE("encode_text: a line break is <eos>, characters count code points and breaks") {
  const std::vector<std::string> lines = {"ab", "", "b你a"};
  const Written file("ab\n\nb你a\n");
  for (const TokenizerKind kind : {TokenizerKind::character, TokenizerKind::word}) {
    const Tokenizer tokenizer = Tokenizer::train(kind, lines, 0);
    const language::LanguageText text =
        language::encode_text(tokenizer, language::text_source(file.path));
    CHECK(text.characters == 8);
    CHECK(text.predictions() == (kind == TokenizerKind::word ? 5 : 8));
    const std::vector<std::int32_t> all = text.ids.read(0, text.ids.size());
    CHECK(all.front() == eos_id);
    CHECK(all.back() == eos_id);
    const std::vector<int> ids(all.begin() + 1, all.end());
    CHECK(language::decode_text(tokenizer, ids) == "ab\n\nb你a\n");
  }
}

TEST_CASE("check_length: every stream fills a segment, or the text is named") {
  const Written file("a b c\n");
  const Tokenizer tokenizer = Tokenizer::train(TokenizerKind::word, {"a b c"}, 0);
  const auto text = language::encode_text(tokenizer, language::text_source(file.path));
  check_length(text, 2, 2);
  expect_user_error([&] { check_length(text, 1, 5, "--segment"); },
                    {file.path.c_str(), "4 tokens", "too few for a segment of 5 (--segment)"});
  expect_user_error([&] { check_length(text, 1 << 20, 1 << 20); }, {file.path.c_str(), "--batch"});
}

TEST_CASE("text source: a range of lines, over several files") {
  const Written file("one\ntwo\nthree\n");
  const language::TextSource source{{file.path, file.path}, 1, 5};
  std::string found;
  for (language::TextReader reader(source); reader.next();)
    found += reader.piece() + (reader.ends() ? "|" : "");
  CHECK(found == "two|three|one|two|");
}

TEST_CASE("train_tokenizer: a word as long as a book is refused where it stands") {
  const Written file("fine\na good line\n" + std::string(1 << 20, 'x') + "\nfine\n");
  const language::TextSource source{{file.path}};
  for (const auto& [level, name] : {std::pair(TokenizerKind::word, "4096 bytes (--level word)"),
                                    std::pair(TokenizerKind::bpe, "16384 bytes (--level bpe)")})
    CHECK_THROWS_WITH_AS(language::train_tokenizer(level, source, 0, 1),
                         doctest::Contains((file.path + ":3: a word of more than " + name).c_str()),
                         xf::UserError);
  CHECK(language::train_tokenizer(TokenizerKind::character, source, 0, 1).size() == 15);
}

TEST_CASE("encode_text: the fingerprint tells texts of one length apart, and line breaks count") {
  const Tokenizer tokenizer = Tokenizer::train(TokenizerKind::character, {"abcd"}, 0);
  const auto fingerprint = [&](const std::string& content) {
    const Written file(content);
    return language::encode_text(tokenizer, language::text_source(file.path)).fingerprint;
  };
  CHECK(fingerprint("ab\ncd\n") == fingerprint("ab\r\ncd"));
  CHECK(fingerprint("ab\ncd\n") != fingerprint("ab\ncc\n"));
  CHECK(fingerprint("ab\ncd\n") != fingerprint("abc\nd\n"));
}

TEST_CASE("encode_text: a line far longer than a piece gives the ids of the whole line") {
  std::string line;
  for (int i = 0; i < 40000; ++i) line += i % 7 == 0 ? "你 好" : "word ab ";
  const Written file(line + "\nshort\n");
  for (const TokenizerKind kind :
       {TokenizerKind::character, TokenizerKind::word, TokenizerKind::bpe}) {
    const Tokenizer tokenizer =
        Tokenizer::train(kind, std::vector<std::string>{line.substr(0, 2000), "short"},
                         kind == TokenizerKind::bpe ? 40 : 0);
    const language::LanguageText text =
        language::encode_text(tokenizer, language::text_source(file.path));
    std::vector<std::int32_t> wanted = {eos_id};
    for (int id : tokenizer.encode(line)) wanted.push_back(id);
    wanted.push_back(eos_id);
    for (int id : tokenizer.encode("short")) wanted.push_back(id);
    wanted.push_back(eos_id);
    CHECK(text.ids.read(0, text.ids.size()) == wanted);
  }
}

TEST_CASE("streams: every token is predicted once, from the one before it, at any segment") {
  for (const int count : {2, 13, 40})
    for (const int rows : {1, 3, 4})
      for (const int segment : {1, 5, 64})
        for (const int extended : {0, 3}) {
          const TokenFile ids = counting(count);
          const language::Streams streams{ids, rows};
          std::vector<int> predicted(static_cast<std::size_t>(count) + 100, 0);
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
  const TokenFile ids = counting(30);
  const language::Streams streams{ids, 4};
  const auto whole = streams.piece(0, 4, 3, 4, 2), lower = streams.piece(2, 4, 3, 4, 2);
  CHECK(whole.counted == streams.piece(0, 2, 3, 4, 2).counted + lower.counted);
  for (int row = 0; row < 2; ++row) {
    for (int i = 0; i < 6; ++i) CHECK(lower.ids.at(row, i) == whole.ids.at(row + 2, i));
    for (int i = 0; i < 4; ++i) CHECK(lower.expected.at(row, i) == whole.expected.at(row + 2, i));
  }
}

}  // namespace xf::test
