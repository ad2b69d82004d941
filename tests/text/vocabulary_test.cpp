#include "text/vocabulary.hpp"

#include <stdexcept>

#include "io/files.hpp"
#include "test_files.hpp"

using namespace xf;
using namespace xf::test;

TEST_CASE("vocabulary: specials first, then by falling count, ties by code point") {
  const Vocabulary v = Vocabulary::of({{"b", 2}, {"a", 2}, {"é", 2}, {"z", 5}, {"q", 1}}, 0, 1);
  const char* expected[] = {"<pad>", "<bos>", "<eos>", "<unk>", "z", "a", "b", "é", "q"};
  REQUIRE(v.size() == 9);
  for (int id = 0; id < 9; ++id) CHECK(v.token(id) == expected[id]);
  CHECK(v.id("é") == 7);
  CHECK(v.id("nowhere") == unk_id);
  CHECK_THROWS_WITH_AS(v.token(9), "vocabulary: id 9 of 9", std::invalid_argument);
  CHECK_THROWS_WITH_AS(v.token(-1), "vocabulary: id -1 of 9", std::invalid_argument);
}

TEST_CASE("vocabulary: max_size counts the specials, min_count leaves rare tokens out") {
  const std::unordered_map<std::string, long> counts = {{"a", 3}, {"b", 2}, {"c", 1}};
  CHECK(Vocabulary::of(counts, 6, 1).size() == 6);
  CHECK(Vocabulary::of(counts, 6, 1).id("c") == unk_id);
  CHECK(Vocabulary::of(counts, 0, 3).size() == 5);
}

TEST_CASE("vocabulary: text that spells a special gives <unk>, never padding") {
  const Vocabulary v = Vocabulary::of({{"<pad>", 9}, {"<eos>", 9}, {"<unk>", 9}, {"a", 1}}, 0, 1);
  CHECK(v.size() == 5);
  for (const char* special : {"<pad>", "<bos>", "<eos>", "<unk>"}) CHECK(v.id(special) == unk_id);
}

TEST_CASE("vocabulary: a token is not added twice") {
  Vocabulary v;
  v.add("a");
  CHECK_THROWS_WITH_AS(v.add("a"), "vocabulary: \"a\" twice", std::invalid_argument);
}

TEST_CASE("vocabulary: written and read again it is the same; the line is the id") {
  const TemporaryDirectory dir;
  const std::string path = dir.path + "/v.txt";
  Vocabulary::of({{"你", 3}, {"▁", 2}, {"x", 1}}, 0, 1).write(path);
  CHECK(read_file(path) == "<pad>\n<bos>\n<eos>\n<unk>\n你\n▁\nx\n");
  const Vocabulary v = Vocabulary::parse(read_file(path), path);
  CHECK(v.size() == 7);
  CHECK(v.id("▁") == 5);
}

TEST_CASE("vocabulary: says which line of the file is wrong") {
  const TemporaryDirectory dir;
  const auto error = [&](const std::string& lines) {
    const std::string path = dir.file("v.txt", lines);
    return user_error([&] { Vocabulary::parse(read_file(path), path); }).substr(path.size());
  };
  const std::string specials = "<pad>\n<bos>\n<eos>\n<unk>\n";
  CHECK(error("") == ":1: expected <pad>, but the file ends");
  CHECK(error("<pad>\n<bos>\n") == ":3: expected <eos>, but the file ends");
  CHECK(error("<pad>\n<s>\n</s>\n<unk>\n") == ":2: expected <bos>, found \"<s>\"");
  CHECK(error(specials + "a\nb\na\n") == ":7: \"a\" is already on line 5");
  CHECK(error(specials + "<eos>\n") == ":5: \"<eos>\" is already on line 3");
  CHECK(error(specials + "a\n\nb\n") == ":6: an empty token");
  CHECK(error(specials + "a\n\xFF\n") == ":6: invalid UTF-8 at byte 1");
}
