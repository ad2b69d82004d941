#include "text/windows.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <sstream>
#include <thread>

#include "support/repeated.hpp"
#include "test_files.hpp"
#include "text/corpus.hpp"

namespace xf::test {

namespace {

// The lines of the windows, the problems of those that were refused, and how large the windows
// were.
struct Answered {
  Lines lines, problems;
  std::vector<std::size_t> sizes;
};

Answered answered(const std::string& text,
                  const std::function<std::string(const std::string&)>& problem = {}) {
  std::istringstream in(text);
  Answered found;
  const std::size_t refused = for_each_window(
      {{LineReader(in, "standard input", max_line_bytes), problem}},
      [&](const std::vector<Lines>& texts, std::size_t before) {
        CHECK(before == found.lines.size());
        found.lines.insert(found.lines.end(), texts[0].begin(), texts[0].end());
        found.sizes.push_back(texts[0].size());
      },
      [&](const std::string& one) { found.problems.push_back(one); });
  CHECK(refused == found.problems.size());
  return found;
}

}  // namespace

TEST_CASE("for_each_window: all lines, in large windows where they are there") {
  CHECK(answered("one\n\n \n").lines == Lines{"one", "", " "});
  CHECK(answered("").lines.empty());
  CHECK(answered(repeated("w ", 1000)).lines == Lines{repeated("w ", 1000)});
  std::string many;
  for (int i = 0; i < 20000; ++i) many += std::to_string(i) + "\n";
  const Answered found = answered(many);
  CHECK(found.lines.size() == 20000);
  CHECK(found.lines[19999] == "19999");
  CHECK(found.sizes == std::vector<std::size_t>{8192, 8192, 3616});
}

TEST_CASE("for_each_window: a line that is refused is blank, and the others are answered") {
  const std::string book(1 << 20, 'x');
  const Answered found =
      answered("one\nt\xC3\n" + repeated("w ", 1001) + "\n" + book + "\nbad\ntwo\n",
               [](const std::string& line) { return line == "bad" ? "it is bad" : ""; });
  CHECK(found.lines == Lines{"one", "", "", "", "", "two"});
  CHECK(found.problems == Lines{"standard input:2: invalid UTF-8 at byte 2",
                                "standard input:3: a line of 1001 words (at most 1000)",
                                "standard input:4: a line of more than 65536 bytes",
                                "standard input:5: it is bad"});
}

TEST_CASE("for_each_window: lines that belong together, as long as both texts have them") {
  const TemporaryDirectory dir;
  const std::string one = dir.file("one", "a\nb\xC3\nc\nd\n"),
                    other = dir.file("other", "A\nB\nC\n");
  Lines first, second, problems;
  const auto run = [&](const std::string& left, const std::string& right) {
    first.clear(), second.clear(), problems.clear();
    for_each_window(
        {{LineReader(left), {}}, {LineReader(right), {}}},
        [&](const std::vector<Lines>& texts, std::size_t) {
          first.insert(first.end(), texts[0].begin(), texts[0].end());
          second.insert(second.end(), texts[1].begin(), texts[1].end());
        },
        [&](const std::string& problem) { problems.push_back(problem); });
  };
  CHECK(user_error([&] { run(one, other); }) == one + " has 4 lines, but " + other + " has 3");
  CHECK(first == Lines{"a", "", "c"});
  CHECK(second == Lines{"A", "", "C"});
  CHECK(problems == Lines{one + ":2: invalid UTF-8 at byte 2"});
  CHECK(user_error([&] { run(other, one); }) == other + " has 3 lines, but " + one + " has 4");
  run(other, other);
  CHECK(second == Lines{"A", "B", "C"});
}

TEST_CASE("for_each_window: what a pipe holds is answered before more is waited for") {
  const TemporaryDirectory dir;
  const std::string path = dir / "pipe";
  REQUIRE(mkfifo(path.c_str(), 0600) == 0);
  const int writer = ::open(path.c_str(), O_RDWR);
  const auto say = [&](const std::string& text) {
    CHECK(::write(writer, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  };
  say("a\nb");  // and half of a line
  std::vector<Lines> windows;
  std::thread watchdog;  // the test ends, too, where nothing is answered
  std::atomic<bool> done = false;
  watchdog = std::thread([&] {
    for (int i = 0; i < 1000 && !done; ++i) ::usleep(10'000);
    if (!done) say("\nlate\nlate\n"), ::close(writer);
  });
  LineReader reader(path, max_line_bytes);
  for_each_window(
      {{std::move(reader), {}}},
      [&](const std::vector<Lines>& texts, std::size_t) {
        windows.push_back(texts[0]);
        if (windows.size() == 1) say("c\nd\ne\n");
        if (windows.size() == 2) done = true, ::close(writer);
      },
      [](const std::string&) {});
  watchdog.join();
  CHECK(windows == std::vector<Lines>{{"a"}, {"bc", "d", "e"}});
}

}  // namespace xf::test
