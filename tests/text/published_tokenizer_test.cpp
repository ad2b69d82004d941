#include "text/published_tokenizer.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "io/files.hpp"
#include "support/errors.hpp"
#include "support/repeated.hpp"
#include "support/temporary.hpp"
#include "text/character_stream.hpp"
#include "text/unicode.hpp"

namespace xf::test {

namespace {

using Pieces = std::vector<std::string_view>;
using Tokens = std::vector<int>;

// vocab.json and merges.txt of "a", "b", "ab", a space and <|endoftext|>, with more files.
struct TwoFiles {
  TemporaryDirectory directory;

  TwoFiles() {
    directory.file("vocab.json", R"({"a": 0, "b": 1, "ab": 2, "Ġ": 3, "<|endoftext|>": 4})");
    directory.file("merges.txt", "#version: 0.2\na b\n");
  }
  PublishedTokenizer load() const {
    return PublishedTokenizer::load(directory.path, PublishedTokenizer::Usual{});
  }
  void refuses(std::initializer_list<const char*> parts) const {
    expect_user_error([&] { load(); }, parts);
  }
};

}  // namespace

TEST_CASE("byte_merges: worked by hand") {
  // a b c d merge as (b c), then (a bc); (c d) stands behind (b c) and finds no c any more.
  const ByteMerges merges(TokenTable({"a", "b", "c", "d", "bc", "cd", "abc", "Ġ"}),
                          {{"b", "c"}, {"c", "d"}, {"a", "bc"}}, {}, "hand");
  CHECK(merges.encode("abcd") == Tokens{6, 3});
  CHECK(merges.encode("cd") == Tokens{5});
  CHECK(merges.encode(" abc") == Tokens{7, 6});
  CHECK(merges.encode("") == Tokens{});
  CHECK(merges.encode("aZb") == Tokens{0, 1});  // a byte without a token is left out
  CHECK(merges.whole("abc") == 6);
  CHECK(merges.whole("ab") == -1);
  // Of one pair the last line counts: (c d) now stands before (b c).
  const ByteMerges twice(TokenTable({"b", "c", "d", "bc", "cd"}),
                         {{"b", "c"}, {"c", "d"}, {"b", "c"}}, {}, "hand");
  CHECK(twice.encode("bcd") == Tokens{0, 4});
  expect_user_error(
      [] {
        ByteMerges(TokenTable({"a"}), {{"a", "a"}}, {}, "merges.txt");
      },
      {"merges.txt: merge 1 needs the token aa"});
}

TEST_CASE("published_tokenizer: another kind of model is named before its tokens are") {
  const TemporaryDirectory folder;
  folder.file("tokenizer.json", R"({"model":{"type":"Unigram","vocab":[["a",-1.5],["b",-2]]}})");
  expect_user_error([&] { PublishedTokenizer::load(folder.path, {}); },
                    {"tokenizer.json: model.type: expected BPE or WordPiece, not Unigram"});
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

TEST_CASE("composed: as many accents as a hostile text may have") {
  const std::string below = repeated("\u0316", 30000), above = repeated("\u0301", 30000);
  const auto start = std::chrono::steady_clock::now();
  CHECK(composed("a" + above + below) == "á" + below + above.substr(2));
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(5));
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
  const TwoFiles files;
  const auto tokenizer =
      PublishedTokenizer::load(files.directory.path, {{.cut = {CutRule::Kind::gpt2}}});
  CHECK(tokenizer.encode("ab ab<|endoftext|>b") == Tokens{2, 3, 2, 4, 1});
  CHECK(tokenizer.decode({2, 3, 4, 1}) == "ab b");
  CHECK(tokenizer.size() == 5);
}

// golden/published_models.py
TEST_CASE("published_tokenizer: each step has the tokens and the text of the library") {
  const std::string goldens = XF_TEST_DATA "/published_tokenizers";
  const std::vector<std::string> names = directory_entries(goldens);
  REQUIRE(names.size() == 23);
  for (const std::string& name : names) {
    CAPTURE(name);
    const auto tokenizer = PublishedTokenizer::load(goldens + "/" + name, {});
    const auto golden = nlohmann::json::parse(read_file(goldens + "/" + name + "/expected.json"));
    for (const auto& line : golden["lines"]) {
      const auto text = line[0].get<std::string>();
      CAPTURE(text);
      CHECK(tokenizer.encode(text) == line[1].get<std::vector<int>>());
    }
    for (const auto& text : golden["texts"]) {
      const auto ids = text[0].get<std::vector<int>>();
      CAPTURE(ids);
      CHECK(tokenizer.decode(ids) == text[1].get<std::string>());
    }
  }
}

TEST_CASE("published_tokenizer: files beside it add tokens") {
  const TwoFiles numbered;
  numbered.directory.file("added_tokens.json", R"({"<|user|>": 5, "<|bot|>": 6})");
  numbered.directory.file("special_tokens_map.json",
                          R"({"eos_token": {"content": "<|bot|>"}, "pad_token": "[PAD]",
                              "additional_special_tokens": ["b"]})");
  const PublishedTokenizer tokenizer = numbered.load();
  CHECK(tokenizer.encode("<|user|>a[PAD]<|bot|> ab") == Tokens{5, 0, 7, 6, 3, 0, 1});
  CHECK(tokenizer.decode({5, 6, 0}) == "<|user|>a");  // an <eos> is not written
  CHECK(tokenizer.size() == 8);

  const TwoFiles decoder;
  decoder.directory.file("tokenizer_config.json",
                         R"({"added_tokens_decoder": {"9": {"content": "<x>", "lstrip": true}},
                             "extra_special_tokens": {"image_token": "<img>"}})");
  CHECK(decoder.load().encode("a <x><img>") == Tokens{0, 9, 10});
  decoder.directory.file("added_tokens.json", R"({"<x>": 8})");
  decoder.refuses({"added_tokens.json: <x>: <x> has the id 8, but 9 in ",
                   "tokenizer_config.json: added_tokens_decoder.9"});
}

// The ids are those of `transformers` 5.24.
TEST_CASE("published_tokenizer: tokenizer_config.json says what precedes and follows a text") {
  const PublishedTokenizer::Usual gpt2{.cut = {CutRule::Kind::gpt2}},
      qwen2{.cut = {CutRule::Kind::llama, 1}, .composes = true};
  const TwoFiles files;
  const auto ids = [&](const PublishedTokenizer::Usual& usual, const char* settings) {
    files.directory.file("tokenizer_config.json", settings);
    return PublishedTokenizer::load(files.directory.path, usual).encode("a\na<|endoftext|>ab");
  };
  const char* space = R"({"add_prefix_space": true})";
  const char* both = R"({"add_bos_token": true, "add_eos_token": true})";
  const char* named = R"({"add_bos_token": true, "bos_token": {"content": "b"}})";
  CHECK(ids(gpt2, R"({"add_prefix_space": false})") == Tokens{0, 0, 4, 2});
  CHECK(ids(gpt2, space) == Tokens{3, 0, 0, 4, 3, 2});
  CHECK(ids(gpt2, both) == Tokens{4, 0, 0, 4, 2, 4});
  CHECK(ids(gpt2, named) == Tokens{1, 0, 0, 4, 0, 1});
  files.directory.file("vocab.json", R"({"a": 0, "b": 1, "ab": 2, "Ġ": 3})");
  CHECK(ids(qwen2, space) == Tokens{3, 0, 3, 3, 0, 4, 3, 2});
  CHECK(ids(qwen2, both) == Tokens{0, 0, 4, 2, 4});
  expect_user_error([&] { ids(gpt2, both); },
                    {"tokenizer_config.json: bos_token: <|endoftext|> is not a token"});
}

TEST_CASE("published_tokenizer: a file beside it that is wrong is named with its key") {
  const TwoFiles files;
  files.directory.file("added_tokens.json", R"({"ab": 7})");
  files.refuses({"added_tokens.json: ab: ab has the id 7, but 2 in the tokenizer"});
  files.directory.file("added_tokens.json", R"({"<x>": "7"})");
  files.refuses({"added_tokens.json: <x>: expected an integer of at least 0"});
  files.directory.file("added_tokens.json", R"({"<x>": 99999999})");
  files.refuses({"added_tokens.json: <x>: the id 99999999 is too large"});
  files.directory.file("added_tokens.json", "{}");
  files.directory.file("tokenizer_config.json", R"({"added_tokens_decoder": {"x": {}}})");
  files.refuses({"tokenizer_config.json: added_tokens_decoder.x: not an id"});
  files.directory.file("tokenizer_config.json", R"({"added_tokens_decoder": {"9": "<x>"}})");
  files.refuses({"tokenizer_config.json: added_tokens_decoder.9: expected a JSON object"});
  files.directory.file("tokenizer_config.json", R"({"pad_token": 5})");
  files.refuses({"tokenizer_config.json: pad_token: expected a JSON object"});
}

TEST_CASE("published_tokenizer: thousands of added tokens and a long line take no time") {
  const TwoFiles files;
  std::string added, line;
  for (int i = 0; i < 20'000; ++i)
    added += (i ? ", " : "") + ("\"<" + std::to_string(i) + ">\": " + std::to_string(i + 5));
  files.directory.file("added_tokens.json", "{" + added + "}");
  Tokens wanted;
  for (int i = 0; i < 100'000; ++i) {
    line += "a<" + std::to_string(i % 20'000) + ">";
    wanted.insert(wanted.end(), {0, i % 20'000 + 5});
  }
  const auto begin = std::chrono::steady_clock::now();
  CHECK(files.load().encode(line) == wanted);
  // A quarter of a second here; what looks for each token anew takes half an hour.
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(60));
}

// As in `tokenizers` 0.23, whose characters of words are not those of the expressions' \w.
TEST_CASE("published_tokenizer: Whitespace, and an added token in normalized text") {
  const TemporaryDirectory folder;
  const auto of = [&](const char* content) {
    folder.file("tokenizer.json", content);
    return PublishedTokenizer::load(folder.path, {});
  };
  CHECK(of(R"({"pre_tokenizer": {"type": "Whitespace"}, "model": {"type": "WordPiece",
               "vocab": {"[UNK]": 0, "m": 1, "²": 2, "a\u200cb": 3, "½": 4, "!": 5}}})")
            .encode("m² a\u200cb ½!") == Tokens{1, 2, 3, 0});
  CHECK(of(R"({"added_tokens": [{"id": 2, "content": "<u>", "normalized": true}],
               "normalizer": {"type": "Prepend", "prepend": "▁"},
               "decoder": {"type": "Replace", "pattern": {"String": "▁"}, "content": " "},
               "model": {"type": "BPE", "vocab": {"▁": 0, "a": 1}, "merges": []}})")
            .decode({1, 2, 1}) == "a <u>a");
}

TEST_CASE("published_tokenizer: steps that are not known are named with their key") {
  const TemporaryDirectory folder;
  const auto refuses = [&](const std::string& members, std::initializer_list<const char*> parts) {
    folder.file("tokenizer.json",
                R"({"model": {"vocab": {"a": 0}, "merges": []}, )" + members + "}");
    expect_user_error([&] { PublishedTokenizer::load(folder.path, {}); }, parts);
  };
  const auto split = [&](const std::string& pattern, std::initializer_list<const char*> parts) {
    refuses(
        R"("pre_tokenizer": {"type": "Split", "behavior": "Isolated", "pattern": )" + pattern + "}",
        parts);
  };
  refuses(R"("normalizer": {"type": "NFKC"})",
          {"normalizer.type: expected NFC, Prepend,", "not NFKC"});
  refuses(R"("pre_tokenizer": {"type": "X"})",
          {"pre_tokenizer.type: expected ByteLevel,", "not X"});
  refuses(R"("pre_tokenizer": {"type": "Punctuation", "behavior": "Gone"})",
          {"pre_tokenizer.behavior: expected Isolated,", "not Gone"});
  refuses(R"("pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type": "ByteLevel"},
             {"type": "Digits"}]})",
          {"pre_tokenizer.pretokenizers[1].type: Digits after ByteLevel"});
  split(R"({"Regex": "(a"})", {"pre_tokenizer.pattern.Regex: (a: ", "parenthesis"});
  split("{\"Regex\": \"" + std::string(20'000, 'a') + "\"}",
        {"pre_tokenizer.pattern.Regex: it has more than 16384 bytes"});
  split(R"({"Other": "a"})", {"pre_tokenizer.pattern.Regex: the key is missing"});
  refuses(R"("decoder": {"type": "Sequence", "decoders": [{"type": "Fuse"}, {"type": "CTC"}]})",
          {"decoder.decoders[1].type: expected ByteLevel,", "not CTC"});
  refuses(R"("post_processor": {"type": "TemplateProcessing",
             "single": [{"SpecialToken": {"id": "<s>"}}, {"Sequence": {"id": "A"}}],
             "special_tokens": {"<s>": {"ids": [7]}}})",
          {"special_tokens.<s>.ids: no token has the id 7"});
  refuses(R"("post_processor": {"type": "TemplateProcessing", "single": []})",
          {"post_processor.single: expected one Sequence"});
}

TEST_CASE("text_pattern: an expression that takes too long ends with an error") {
  const TextPattern slow = TextPattern::expression("(a+)+$");
  expect_user_error([&] { slow.parts(std::string(60, 'a') + "b"); },
                    {"the expression (a+)+$: ", "limit"});
  const TextPattern backwards = TextPattern::expression(R"((?=a\K)b?)");
  try {
    backwards.parts("ab");
  } catch (const UserError&) {  // read, or refused
  }
}

}  // namespace xf::test
