#include "text/published_tokenizer.hpp"

#include <doctest/doctest.h>

#include "io/files.hpp"
#include "support/errors.hpp"
#include "support/temporary.hpp"
#include "text/character_classes.hpp"
#include "text/character_stream.hpp"

namespace xf::test {

namespace {

using Pieces = std::vector<std::string_view>;

}  // namespace

TEST_CASE("byte_merges: worked by hand") {
  // a b c d merge as (b c), then (a bc); (c d) stands behind (b c) and finds no c any more.
  const ByteMerges merges(TokenTable({"a", "b", "c", "d", "bc", "cd", "abc", "Ġ"}),
                          {{"b", "c"}, {"c", "d"}, {"a", "bc"}}, -1, "hand");
  CHECK(merges.encode("abcd") == std::vector<int>{6, 3});
  CHECK(merges.encode("cd") == std::vector<int>{5});
  CHECK(merges.encode(" abc") == std::vector<int>{7, 6});
  CHECK(merges.encode("") == std::vector<int>{});
  CHECK(merges.encode("aZb") == std::vector<int>{0, 1});  // a byte without a token is left out
  CHECK(merges.whole("abc") == 6);
  CHECK(merges.whole("ab") == -1);
  // Of one pair the last line counts: (c d) now stands before (b c).
  const ByteMerges twice(TokenTable({"b", "c", "d", "bc", "cd"}),
                         {{"b", "c"}, {"c", "d"}, {"b", "c"}}, -1, "hand");
  CHECK(twice.encode("bcd") == std::vector<int>{0, 4});
  expect_user_error(
      [] {
        ByteMerges(TokenTable({"a"}), {{"a", "a"}}, -1, "merges.txt");
      },
      {"merges.txt: merge 1 needs the token aa"});
}

TEST_CASE("published_tokenizer: another kind of model is named before its tokens are") {
  const TemporaryDirectory folder;
  write_file_atomically(folder.path + "/tokenizer.json",
                        R"({"model":{"type":"Unigram","vocab":[["a",-1.5],["b",-2]]}})");
  expect_user_error([&] { PublishedTokenizer::load(folder.path, {}); },
                    {"tokenizer.json: model.type: BPE is wanted, not Unigram"});
}

TEST_CASE("byte_merges: every byte is written as a character of its own, and read again") {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  CHECK(ByteMerges::bytes(ByteMerges::written(all)) == all);
  CHECK(ByteMerges::written(" a\n\xC4\xAD") == "ĠaĊÄŃ");
}

TEST_CASE("word_pieces: GPT-2's rule") {
  const auto pieces = [](std::string_view text) { return cut(text, {CutRule::Kind::gpt2}); };
  CHECK(pieces("the cat's  12345 mats!") ==
        Pieces{"the", " cat", "'s", " ", " 12345", " mats", "!"});
  CHECK(pieces("a \n") == Pieces{"a", " \n"});
  CHECK(pieces("I'LL") == Pieces{"I", "'", "LL"});
  CHECK(pieces("é?!\t\tx") == Pieces{"é", "?!", "\t", "\t", "x"});
}

TEST_CASE("word_pieces: Llama's and Qwen's rule") {
  const auto pieces = [](std::string_view text, int digits) {
    return cut(text, {CutRule::Kind::llama, digits});
  };
  CHECK(pieces("I'LL pay 12345\n\n (a)", 3) ==
        Pieces{"I", "'LL", " pay", " ", "123", "45", "\n\n", " (", "a", ")"});
  CHECK(pieces("12 34", 1) == Pieces{"1", "2", " ", "3", "4"});
  CHECK(pieces("!\r\n  x", 3) == Pieces{"!\r\n", " ", " x"});
  CHECK(pieces("(word) \n  \n  x", 3) == Pieces{"(word", ")", " \n  \n", " ", " x"});
  CHECK(pieces("a'ſ", 3) == Pieces{"a", "'ſ"});
}

TEST_CASE("composed: accents, Korean, what is never composed") {
  CHECK(composed("e\u0301a\u0316\u0301") == "é\u00e1\u0316");
  CHECK(composed("\u1100\u1161\u11a8") == "각");
  CHECK(composed("가\u11a8") == "각");
  CHECK(composed("\u212b \u0958 ﬁ") == "Å \u0915\u093c ﬁ");
  CHECK(composed("\u0301e") == "\u0301e");
  CHECK(composed("") == "");
}

TEST_CASE("character_stream: whole characters alone, and one sign for what is none") {
  CharacterStream stream;
  CHECK(stream.take("a\xE4") == "a");
  CHECK(stream.take("\xBD") == "");
  CHECK(stream.take("\xA0!") == "你!");
  CHECK(stream.take("\xE4\xBD"
                    "7\x80\xFF") == "\uFFFD7\uFFFD\uFFFD");
  CHECK(stream.take("\xF0\x9F") == "");
  CHECK(stream.end() == "\uFFFD");
  CHECK(stream.end() == "");
  CHECK(stream.take("\xED\xA0\x80") == "\uFFFD\uFFFD\uFFFD");  // a surrogate begins nothing
}

TEST_CASE("published_tokenizer: vocab.json and merges.txt alone") {
  const TemporaryDirectory directory;
  directory.file("vocab.json", R"({"a": 0, "b": 1, "ab": 2, "Ġ": 3, "<|endoftext|>": 4})");
  directory.file("merges.txt", "#version: 0.2\na b\n");
  const auto tokenizer = PublishedTokenizer::load(directory.path, {.cut = {CutRule::Kind::gpt2}});
  CHECK(tokenizer.encode("ab ab<|endoftext|>b") == std::vector<int>{2, 3, 2, 4, 1});
  CHECK(tokenizer.decode({2, 3, 4, 1}) == "ab b");
  CHECK(tokenizer.size() == 5);
}

}  // namespace xf::test
