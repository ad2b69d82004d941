#include "speech/show.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "speech/terminal.hpp"
#include "support/repeated.hpp"
#include "support/temporary.hpp"

namespace xf::test {
namespace {

// What say() prints, line by line.
std::vector<std::string> lines_of(const std::string& paragraph) {
  const TemporaryDirectory folder;
  const std::string path = folder.file("said.txt", "");
  std::fflush(stdout);
  const int before = dup(STDOUT_FILENO), file = open(path.c_str(), O_WRONLY);
  REQUIRE(file >= 0);
  dup2(file, STDOUT_FILENO);
  say("{}", paragraph);
  std::fflush(stdout);
  dup2(before, STDOUT_FILENO);
  close(before);
  close(file);
  std::vector<std::string> lines;
  std::ifstream text(path);
  for (std::string line; std::getline(text, line);)
    if (!line.empty()) lines.push_back(line);
  return lines;
}

}  // namespace

TEST_CASE("say: no line ends with a mark that opens, nor begins with one that closes") {
  for (int lead = 40; lead < 50; ++lead) {  // wherever the bracket falls
    const std::string text = repeated("字", lead) + "（“后”）" + repeated("文", 20);
    const std::vector<std::string> lines = lines_of(text);
    REQUIRE(lines.size() == 2);
    CHECK(lines[0] + lines[1] == text);
    CHECK(display_width(lines[0]) <= 96);
    CHECK_MESSAGE(!lines[0].ends_with("（"), lines[0]);
    CHECK_MESSAGE(!lines[0].ends_with("“"), lines[0]);
    CHECK_MESSAGE(!lines[1].starts_with("”"), lines[1]);
    CHECK_MESSAGE(!lines[1].starts_with("）"), lines[1]);
  }
}

TEST_CASE("say: a name stays with its number") {
  for (int lead = 40; lead < 50; ++lead) {
    const std::vector<std::string> lines =
        lines_of(repeated("字", lead) + "，D = 32，" + repeated("文", 20));
    REQUIRE(lines.size() == 2);
    const bool whole = lines[0].find("D = 32") != std::string::npos ||
                       lines[1].find("D = 32") != std::string::npos;
    CHECK_MESSAGE(whole, lines[0]);
  }
}

TEST_CASE("a line that is laid out breaks at its widest gap, and fits") {
  const std::string line = "    w = e / total    every row sums to 1   (T, S)";
  CHECK(folded(line, 100) == std::vector<std::string>{line});
  CHECK(folded(line, 40) ==
        std::vector<std::string>{"    w = e / total", "        every row sums to 1   (T, S)"});
  CHECK(folded(line, 34) == std::vector<std::string>{"    w = e / total",
                                                     "        every row sums to 1",
                                                     "        (T, S)"});
  CHECK(folded("  one two three", 12) ==
        std::vector<std::string>{"  one", "      two", "      three"});
  CHECK(folded("  " + repeated("x", 50), 20) == std::vector<std::string>{"  " + repeated("x", 50)});
}

}  // namespace xf::test
