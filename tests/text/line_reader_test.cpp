#include "text/line_reader.hpp"

#include <doctest/doctest.h>

#include "support/errors.hpp"
#include "support/temporary.hpp"
#include "text/corpus.hpp"
#include "text/token_file.hpp"

namespace xf::test {

namespace {

std::vector<std::string> lines_of(const std::string& path, std::size_t limit,
                                  std::size_t* longest = nullptr) {
  std::vector<std::string> lines;
  bool open = false;
  LineReader reader(path, limit);
  while (reader.next()) {
    if (!open) lines.emplace_back();
    CHECK(reader.number() == lines.size());
    lines.back() += reader.piece();
    open = !reader.ends();
    if (longest) *longest = std::max(*longest, reader.piece().size());
  }
  CHECK(!open);
  return lines;
}

}  // namespace

TEST_CASE("line reader: the lines of read_lines(), at any limit") {
  for (const std::string& content :
       {std::string(), std::string("\n"), std::string("a"), std::string("a\r\n\r\nb\r"),
        std::string("\xEF\xBB\xBFmark\nno \xEF\xBB\xBFmark"), std::string("\xEF\xBB\xBF"),
        std::string("你好 世界\n\nthe end of a long line\n"), std::string(60000, 'x') + "\ny"})
    for (const std::size_t limit : {8u, 9u, 17u, 65536u}) {
      const TemporaryDirectory directory;
      const std::string path = directory.file("text", content);
      CHECK(lines_of(path, limit) == read_lines(path));
    }
}

TEST_CASE("line reader: pieces are short, and cut before a space where there is one") {
  const TemporaryDirectory directory;
  std::size_t longest = 0;
  lines_of(directory.file("a", std::string(100000, 'x') + " " + std::string(100000, 'y')), 1000,
           &longest);
  CHECK(longest <= 1000);
  const std::string path = directory.file("b", "some words and more words\n");
  std::vector<std::string> pieces;
  for (LineReader reader(path, 12); reader.next();) pieces.push_back(reader.piece());
  // The file is read at once, so that a line which ends in what was read is not cut.
  CHECK(pieces == std::vector<std::string>{"some words and more words"});
}

TEST_CASE("line reader: an invalid byte is named by line and byte, wherever pieces end") {
  const TemporaryDirectory directory;
  for (const std::size_t before : {0u, 5u, 65535u, 65536u, 70000u, 200000u}) {
    const std::string path =
        directory.file("text", "fine\n" + std::string(before, 'x') + "\xE4 and more");
    const std::string place = ":2: invalid UTF-8 at byte " + std::to_string(before + 1);
    expect_user_error(
        [&] {
          for (LineReader reader(path); reader.next();) {
          }
        },
        {place.c_str()});
  }
  expect_user_error([&] { LineReader(directory / "none"); }, {"No such file"});
}

TEST_CASE("token_file: what was appended is read, written out or not") {
  TokenFile file;
  const int count = 40000;  // more than two buffers
  for (std::int32_t id = 0; id < count; ++id) file.append(id);
  CHECK(file.size() == count);
  for (const auto& [begin, length] :
       {std::pair{0, 5}, {16380, 10}, {32760, 20}, {39990, 10}, {0, count}, {7, 0}}) {
    const std::vector<std::int32_t> ids = file.read(begin, length);
    CHECK(std::ssize(ids) == length);
    bool same = true;
    for (int i = 0; i < length; ++i) same &= ids[static_cast<std::size_t>(i)] == begin + i;
    CHECK(same);
  }
  expect_error([&] { file.read(39999, 2); }, {"token_file", "40000"});
}

}  // namespace xf::test
