#include "io/files.hpp"

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <vector>

#include "support/temporary.hpp"

namespace xf::test {

namespace {

// While it lives, no file can grow beyond `bytes`: stands for a full disk.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    getrlimit(RLIMIT_FSIZE, &before_);
    rlimit limit = before_;
    limit.rlim_cur = bytes;
    handler_ = signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int) = nullptr;
};

}  // namespace

TEST_CASE("files: what is written is read back, byte for byte") {
  const TemporaryDirectory directory;
  const std::string path = directory / "file";
  std::string content(100'000, 'x');
  content[7] = '\0';
  content[8] = '\n';
  write_file_atomically(path, content);
  CHECK(read_file(path) == content);
  write_file_atomically(path, {"ab", "", "c"});
  CHECK(read_file(path) == "abc");
  write_file_atomically(path, "");
  CHECK(read_file(path).empty());
  CHECK(directory.entries() == 1);
}

TEST_CASE("files: an existing file keeps its permissions, a link stays a link") {
  const TemporaryDirectory directory;
  write_file_atomically(directory / "file", "old");
  std::filesystem::permissions(directory / "file", std::filesystem::perms(0640));
  std::filesystem::create_symlink("file", directory / "link");
  write_file_atomically(directory / "link", "new");
  CHECK(std::filesystem::is_symlink(directory / "link"));
  CHECK(read_file(directory / "file") == "new");
  CHECK(std::filesystem::status(directory / "file").permissions() == std::filesystem::perms(0640));
}

TEST_CASE("files: a link that leads nowhere yet leads to the new file") {
  const TemporaryDirectory directory;
  make_directory(directory / "far");
  std::filesystem::create_symlink("far/file", directory / "link");
  std::filesystem::create_symlink("link", directory / "second");
  write_file_atomically(directory / "second", "new");
  CHECK(read_file(directory / "far/file") == "new");
  CHECK(std::filesystem::is_symlink(directory / "link"));
  std::filesystem::create_symlink("round", directory / "round");
  CHECK_THROWS_WITH_AS(write_file_atomically(directory / "round", "x"),
                       doctest::Contains("round: Too many"), UserError);
}

TEST_CASE("files: what a killed program leaves half-written is removed, and nothing else") {
  const TemporaryDirectory directory;
  make_directory(directory / "far");
  for (const char* name : {"a.json.tmp12-0", "far/b.tmp7-31", "far/c.tmp7-31", "a.json", "x.tmp",
                           "x.tmp-1", "x.tmp1", "x.tmp1-", "x.tmp1-2b", "1-2"})
    directory.file(name, "");
  std::filesystem::create_symlink("far/b", directory / "link");
  remove_temporaries(directory.path);
  CHECK(directory_entries(directory.path) ==
        std::vector<std::string>{"1-2", "a.json", "far", "link", "x.tmp", "x.tmp-1", "x.tmp1",
                                 "x.tmp1-", "x.tmp1-2b"});
  CHECK(directory_entries(directory / "far") == std::vector<std::string>{"c.tmp7-31"});
  CHECK(directory_entries(directory / "nowhere").empty());
}

TEST_CASE("files: when the disk is full, the old file stays and nothing is left behind") {
  const TemporaryDirectory directory;
  const std::string path = directory / "file";
  write_file_atomically(path, "old");
  {
    const FileSizeLimit full(1000);
    CHECK_THROWS_WITH_AS(write_file_atomically(path, std::string(5000, 'x')),
                         doctest::Contains(path.c_str()), UserError);
  }
  CHECK(read_file(path) == "old");
  CHECK(directory.entries() == 1);
}

TEST_CASE("files: errors name the path") {
  const TemporaryDirectory directory;
  const auto named = [&](const std::string& path) { return doctest::Contains(path.c_str()); };
  const std::string missing = directory / "no/such/file", folder = directory / "folder";
  make_directory(folder);
  CHECK_THROWS_WITH_AS(read_file(missing), named(missing), UserError);
  CHECK_THROWS_WITH_AS(read_file(folder), named(folder), UserError);
  CHECK_THROWS_WITH_AS(write_file_atomically(missing, "x"), named(missing), UserError);
  CHECK_THROWS_WITH_AS(write_file_atomically(folder, "x"), named(folder), UserError);
  CHECK_THROWS_WITH_AS(write_file_atomically("/dev/null", "x"), named("/dev/null"), UserError);
  CHECK(std::filesystem::is_character_file("/dev/null"));
  CHECK_THROWS_WITH_AS(read_file("/dev/zero"), "/dev/zero: a device, not a file", UserError);
  CHECK_THROWS_WITH_AS(exists(std::string(300, 'x')), doctest::Contains("too long"), UserError);
}

TEST_CASE("require_writable: says what writing would say, and changes nothing") {
  const TemporaryDirectory directory;
  const std::string path = directory / "file", missing = directory / "no/such/file";
  require_writable(path);
  CHECK(directory.entries() == 0);
  write_file_atomically(path, "kept");
  require_writable(path);
  CHECK(read_file(path) == "kept");
  CHECK(directory.entries() == 1);
  for (const std::string& no : {missing, std::string(directory / "."), std::string("/dev/null")})
    CHECK_THROWS_WITH_AS(require_writable(no), doctest::Contains(no.c_str()), UserError);
}

TEST_CASE("make_directory: makes parents, accepts what exists, refuses a file in the way") {
  const TemporaryDirectory directory;
  make_directory(directory / "a/b/c");
  make_directory(directory / "a/b/c");
  make_directory(directory / "a/b/d/");
  CHECK(std::filesystem::is_directory(directory / "a/b/c"));
  write_file_atomically(directory / "file", "x");
  CHECK_THROWS_AS(make_directory(directory / "file"), UserError);
  CHECK_THROWS_AS(make_directory(directory / "file/below"), UserError);
  CHECK_THROWS_AS(make_directory(""), UserError);
}

}  // namespace xf::test
