#include "text/corpus.hpp"

#include <sstream>

#include "support/peak_memory.hpp"
#include "support/repeated.hpp"
#include "test_files.hpp"

using namespace xf;
using namespace xf::test;
using Lines = std::vector<std::string>;

TEST_CASE("read_lines: splits at \\n only, drops one \\r and the byte order mark") {
  const TemporaryDirectory dir;
  CHECK(read_lines(dir.file("a", "one\ntwo\n")) == Lines{"one", "two"});
  CHECK(read_lines(dir.file("b", "one\n\ntwo")) == Lines{"one", "", "two"});
  CHECK(read_lines(dir.file("c", "one\r\ntwo\r\r\nx\ry\n")) == Lines{"one", "two\r", "x\ry"});
  CHECK(read_lines(dir.file("d", "\xEF\xBB\xBFone\n")) == Lines{"one"});
  CHECK(read_lines(dir.file("e", "a\u2028b\u0085c\vd\n")) == Lines{"a\u2028b\u0085c\vd"});
  CHECK(read_lines(dir.file("f", "")) == Lines{});
  CHECK(read_lines(dir.file("g", "\n")) == Lines{""});
}

TEST_CASE("read_lines: says which file, line and byte is wrong") {
  const TemporaryDirectory dir;
  const std::string missing = dir.path + "/missing";
  CHECK(user_error([&] { read_lines(missing); }) == missing + ": No such file or directory");
  CHECK(user_error([&] { read_lines(dir.path); }) == dir.path + ": Is a directory");
  const std::string bad = dir.file("bad", "fine\nalso fine\nthis \xFF not\n");
  CHECK(user_error([&] { read_lines(bad); }) == bad + ":3: invalid UTF-8 at byte 6");
}

TEST_CASE("read_lines: a line beyond all sentences is refused before it is in memory") {
  const TemporaryDirectory dir;
  CHECK(read_lines(dir.file("a", std::string(65536, 'x')))[0].size() == 65536);
  for (const std::size_t size : {65537u, 100000u, 1u << 26}) {
    const std::string path = dir.file("b", "fine\n" + std::string(size, 'x') + "\nfine\n");
    reset_peak_memory();
    const double before = peak_mebibytes();
    CHECK(user_error([&] { read_lines(path); }) == path + ":2: a line of more than 65536 bytes");
    CHECK(peak_mebibytes() - before < 8);
  }
}

TEST_CASE("read_parallel: line i of one file belongs to line i of the other") {
  const TemporaryDirectory dir;
  const ParallelText text = read_parallel(dir.file("en", "a b\nc\n"), dir.file("de", "ä\nß ö\n"));
  CHECK(text.source == Lines{"a b", "c"});
  CHECK(text.target == Lines{"ä", "ß ö"});
  CHECK(text.size() == 2);
}

TEST_CASE("read_parallel: says which file and line is wrong") {
  const TemporaryDirectory dir;
  const std::string two = dir.file("two", "a\nb\n"), three = dir.file("three", "a\nb\nc\n");
  const std::string blank = dir.file("blank", "a\n \t\n"), empty = dir.file("empty", "");
  const std::string lengthy = dir.file("lengthy", "a\n" + repeated("w ", 1001) + "\n");
  const auto error = [](const std::string& source, const std::string& target) {
    return user_error([&] { read_parallel(source, target); });
  };
  CHECK(error(two, three) == two + " has 2 lines, but " + three + " has 3");
  CHECK(error(blank, two) == blank + ":2: an empty line");
  CHECK(error(two, blank) == blank + ":2: an empty line");
  CHECK(error(lengthy, two) == lengthy + ":2: a line of 1001 words (at most 1000)");
  CHECK(error(two, lengthy) == lengthy + ":2: a line of 1001 words (at most 1000)");
  CHECK(error(empty, empty) == empty + ": no sentences in it");
  CHECK(error(two, dir.path + "/no") == dir.path + "/no: No such file or directory");
}

TEST_CASE("read_pairs: columns 1 and 2, further ones ignored") {
  const TemporaryDirectory dir;
  const ParallelText text = read_pairs(dir.file("t", "Hi.\t嗨。\tCC-BY\t\nRun.\t跑\r\n"));
  CHECK(text.source == Lines{"Hi.", "Run."});
  CHECK(text.target == Lines{"嗨。", "跑"});
}

TEST_CASE("read_pairs: says which line is wrong") {
  const TemporaryDirectory dir;
  const auto error = [&](const std::string& rows) {
    const std::string path = dir.file("t", rows);
    return user_error([&] { read_pairs(path); }).substr(path.size());
  };
  CHECK(error("a\tb\nc d\n") == ":2: expected 2 columns separated by a tab, found 1");
  CHECK(error("a\tb\n\n") == ":2: column 1 is empty");
  CHECK(error("a\tb\n\tc\n") == ":2: column 1 is empty");
  CHECK(error("a\t\n") == ":1: column 2 is empty");
  CHECK(error("a\t \tc\n") == ":1: column 2 is empty");
  CHECK(error("") == ": no sentences in it");
  CHECK(error("a\t" + repeated("w ", 1001)) == ":1: a line of 1001 words (at most 1000)");
  CHECK(error("a\tb\nc\t\xE4\xBD\n") == ":2: invalid UTF-8 at byte 3");
}

TEST_CASE("corpus: the shared data sets are read whole") {
  const std::string en = shared_data("multi30k/raw/train.en");
  const std::string de = shared_data("multi30k/raw/train.de");
  const std::string pairs = shared_data("cmn-eng/cmn.txt");
  if (en.empty() || de.empty() || pairs.empty()) return;
  CHECK(read_parallel(en, de).size() == 29000);
  CHECK(read_pairs(pairs).size() == read_lines(pairs).size());
}
