#include "program/program.hpp"

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <new>
#include <sstream>
#include <vector>

#include "io/files.hpp"
#include "support/errors.hpp"
#include "support/temporary.hpp"
#include "support/threads.hpp"
#include "trace/trace_page.hpp"

namespace xf::test {

namespace {

// What run_program prints on stderr and returns.
struct Outcome {
  int code;
  std::string message;
};

Outcome outcome(const std::function<int()>& body) {
  std::ostringstream captured;
  std::streambuf* before = std::cerr.rdbuf(captured.rdbuf());
  const int code = run_program(body);
  std::cerr.rdbuf(before);
  return {code, captured.str()};
}

// What a program with the common options, a flag --model and a subcommand makes of these words.
struct Parsed {
  CommonOptions options;
  std::string model;
  bool goes_on = false;
};

Parsed parsed(std::vector<const char*> words) {
  words.insert(words.begin(), "program");
  CLI::App app("a program");
  Parsed result;
  add_common_options(app, result.options);
  app.add_option("--model", result.model, "the model's directory");
  app.add_subcommand("train", "learns")->add_option("--updates", "how many");
  result.goes_on = parse(app, static_cast<int>(words.size()), words.data(), result.options);
  return result;
}

std::string refusal(const std::vector<const char*>& words) {
  return user_error([&] { parsed(words); });
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("run_program: returns the body's code and prints nothing") {
  const Outcome result = outcome([] { return 3; });
  CHECK(result.code == 3);
  CHECK(result.message.empty());
}

TEST_CASE("run_program: what is thrown becomes one line and exit code 2") {
  const Outcome user = outcome([]() -> int { throw UserError("a.txt: line 3 is empty"); });
  CHECK(user.code == 2);
  CHECK(user.message == "error: a.txt: line 3 is empty\n");
  const Outcome lines = outcome([]() -> int { throw std::runtime_error("one\ntwo"); });
  CHECK(lines.code == 2);
  CHECK(lines.message == "error: one two\n");
  const Outcome memory = outcome([]() -> int { throw std::bad_alloc(); });
  CHECK(memory.code == 2);
  CHECK(memory.message == "error: there is not enough memory for this\n");
}

TEST_CASE("run_program: standard output that cannot be written is an error") {
  const Outcome result = outcome([] {
    std::cout.setstate(std::ios::badbit);
    return 0;
  });
  std::cout.clear();
  CHECK(result.code == 2);
  CHECK(result.message == "error: standard output cannot be written\n");
}

TEST_CASE("parse: the common options have defaults and can be set") {
  const Parsed none = parsed({});
  CHECK(none.goes_on);
  CHECK(none.options.seed == 1);
  CHECK(none.options.threads == 0);
  CHECK(none.options.device == Device::cpu);
  CHECK(none.options.out == "out");
  const Threads restored;
  const Parsed all = parsed({"train", "--seed", "18446744073709551615", "--threads=2", "--device",
                             "cpu", "--out", "here", "--model", "m"});
  CHECK(all.options.seed == 18446744073709551615u);
  CHECK(all.options.threads == 2);
  CHECK(threads() == 2);
  CHECK(all.options.out == "here");
  CHECK(all.model == "m");
}

TEST_CASE("parse: a trace is of one thread, so that it is the same each time") {
  const Threads restored;
  CHECK(parsed({"--threads", "3", "--trace"}).goes_on);
  finish_trace();
  CHECK(threads() == 1);
}

TEST_CASE("parse: --help prints the flags and does not go on") {
  std::ostringstream captured;
  std::streambuf* before = std::cout.rdbuf(captured.rdbuf());
  const bool goes_on = parsed({"--help"}).goes_on;
  std::cout.rdbuf(before);
  CHECK(!goes_on);
  for (const std::string flag : {"--seed", "--threads", "--device", "--out", "--model", "train"})
    CHECK_MESSAGE(contains(captured.str(), flag), flag);
}

TEST_CASE("parse: an unknown flag is named, with the nearest known one") {
  CHECK(refusal({"--sede", "5"}) == "unknown flag --sede; did you mean --seed?");
  CHECK(refusal({"--modle=x"}) == "unknown flag --modle; did you mean --model?");
  CHECK(refusal({"train", "--update", "5"}) == "unknown flag --update; did you mean --updates?");
  CHECK(refusal({"trian"}) == "unexpected argument 'trian'; did you mean train?");
  CHECK(refusal({"--zzzzzzzz"}) == "unknown flag --zzzzzzzz; see --help for what is available");
}

TEST_CASE("parse: a bad value is one line that names the flag") {
  const std::vector<std::vector<const char*>> wrong = {
      {"--threads", "0"}, {"--threads", "257"}, {"--threads", "two"},
      {"--threads"},      {"--seed", "-1"},     {"--seed", "1.5"},
      {"--seed", ""},     {"--seed", "010"},    {"--threads", ""},
      {"--seed"},         {"--device", "gpu"},  {"--seed", "1", "--seed", "2"}};
  for (const auto& words : wrong) {
    const std::string message = refusal(words);
    CHECK_MESSAGE(contains(message, words[0]), words[0] << ": " << message);
    CHECK(!contains(message, "\n"));
  }
}

TEST_CASE("parse: a flag without its value is named, whatever follows it") {
  CHECK(refusal({"--out", "--seed", "5"}) == "--out: its value is missing, because --seed follows");
  CHECK(refusal({"train", "--model", "--updates"}) ==
        "--model: its value is missing, because --updates follows");
  CHECK(refusal({"train", "--model", "--help"}) ==
        "--model: its value is missing, because --help follows");
  CHECK(parsed({"--model=--seed"}).model == "--seed");
  CHECK(refusal({"--out", ""}) == "--out: its value is empty");
  CHECK(refusal({"train", "--model="}) == "--model: its value is empty");
}

TEST_CASE("parse: a flag that is given twice is named") {
  CHECK(refusal({"--seed", "1", "--seed", "2"}) == "--seed: given twice");
  CHECK(refusal({"train", "--model=a", "--model", "a"}) == "--model: given twice");
  CHECK(refusal({"--language=en", "--language", "en"}) == "--language: given twice");
  CHECK(parsed({"--model", "--help-me", "--seed", "1"}).model == "--help-me");
}

TEST_CASE("parse: every number is read in one way, whatever the flag checks") {
  const auto problem = [](const std::string& word) {
    int count = 1;
    double share = 0;
    std::vector<int> list;
    CLI::App app("a program");
    app.add_option("--count", count)->check(CLI::Range(0, 100));
    CLI::App* command = app.add_subcommand("work", "works");
    command->add_option("--share", share)->check(CLI::Range(0.0, 1.0));
    command->add_option("--list", list)->delimiter(',');
    const std::vector<const char*> words = {"program", "work", word.c_str()};
    try {
      parse(app, static_cast<int>(words.size()), words.data());
      return std::string();
    } catch (const UserError& error) {
      return std::string(error.what());
    }
  };
  for (const char* fine : {"--count=7", "--count=0", "--share=0.5", "--share=1e-3", "--list=1,-2"})
    CHECK_MESSAGE(problem(fine).empty(), problem(fine));
  for (const char* wrong : {" 1", "0x10", "010", "1.0", "1e1", "nan", "+1", "1 "})
    for (const char* flag : {"--count", "--list"})
      CHECK(problem(std::string(flag) + "=" + wrong) ==
            std::string(flag) + ": expected an integer, not '" + wrong + "'");
  CHECK(problem("--list=1,0x10") == "--list: expected an integer, not '0x10'");
  for (const char* wrong : {"nan", "inf", " 0.5", "0x0.8", "1e999", "half"})
    CHECK(problem(std::string("--share=") + wrong) ==
          std::string("--share: expected a finite number, not '") + wrong + "'");
}

TEST_CASE("run_program: of a long word of the command line a message shows the beginning") {
  const auto message = [](const std::string& word) {
    const Outcome found = outcome([&] {
      parsed({word.c_str()});
      return 0;
    });
    CHECK(found.code == 2);
    return found.message;
  };
  const std::string xs(5000, 'x'), shown = std::string(60, 'x') + " ... (5000 bytes)";
  CHECK(message("--seed=" + xs) == "error: --seed: expected an integer, not '" + shown + "'\n");
  CHECK(message(xs).starts_with("error: unexpected argument '" + shown + "'"));
  CHECK(message("--" + xs + "=1")
            .starts_with("error: unknown flag --" + std::string(58, 'x') + " ... (5002 bytes)"));
  const Outcome path = outcome([&]() -> int {
    parsed({"--out", xs.c_str()});
    throw UserError(xs + "/config.json: File name too long");
  });
  CHECK(path.message == "error: " + shown + "/config.json: File name too long\n");
}

TEST_CASE("positive_problem, negative_problem: zero, NaN and words are no such numbers") {
  for (const char* text : {"1", "0.5", "1e9"}) CHECK(positive_problem(text).empty());
  for (const char* text : {"0", "-1", "nan", "x"}) CHECK(!positive_problem(text).empty());
  CHECK(positive_problem("0") == "must be more than 0, not '0'");
  for (const char* text : {"0", "0.5"}) CHECK(negative_problem(text).empty());
  for (const char* text : {"-1", "nan"}) CHECK(!negative_problem(text).empty());
}

TEST_CASE("range_problem: the ends belong to the range, words and NaN do not") {
  const auto problem = range_problem(0, 10);
  for (const char* text : {"0", "2.5", "10"}) CHECK(problem(text).empty());
  for (const char* text : {"-1", "10.5", "nan", "x", ""}) CHECK(!problem(text).empty());
  CHECK(problem("11") == "must be from 0 to 10, not '11'");
  CHECK(refusal({"--threads", "257"}) == "--threads: must be from 1 to 256, not '257'");
}

TEST_CASE("parse: --device cuda is refused by a program without CUDA") {
  if (built_with_cuda()) return;
  CHECK(contains(refusal({"--device", "tpu"}),
                 "--device: expected cpu, cuda or cuda-emulated, not 'tpu'"));
  if (!built_with_cuda())
    CHECK(contains(refusal({"--device", "cuda"}),
                   "--device: cuda is not built into this program "
                   "(preset 'cuda' builds it)"));
  if (!built_with_emulator())
    CHECK(contains(refusal({"--device", "cuda-emulated"}),
                   "--device: cuda-emulated is not built into this program"));
}

TEST_CASE("output_path: what a link leads to is not written") {
  const TemporaryDirectory directory;
  const CommonOptions options{.out = directory / ""};
  write_file_atomically(directory / "mine", "precious");
  std::filesystem::create_symlink(directory / "mine", directory / "x.svg");
  write_file_atomically(output_path(options, "x.svg"), "<svg/>");
  CHECK(read_file(directory / "mine") == "precious");
  CHECK(read_file(directory / "x.svg") == "<svg/>");
}

TEST_CASE("parse: a program that ./learn starts from elsewhere writes below the checkout's out/") {
  ::setenv("XF_OUT", "../../out", 1);
  for (const auto& [usual, wanted] : {std::pair{"out/02", "../../out/02"}, {"here", "here"}}) {
    CLI::App app;
    CommonOptions options{.out = usual};
    add_common_options(app, options);
    CHECK(options.out == wanted);
  }
  ::unsetenv("XF_OUT");
}

TEST_CASE("output_path: creates the directory, or names the one that cannot be") {
  const TemporaryDirectory directory;
  CommonOptions options;
  options.out = directory / "a/b";
  CHECK(!std::filesystem::exists(options.out));
  CHECK(output_path(options, "x.svg") == options.out + "/x.svg");
  CHECK(std::filesystem::is_directory(options.out));
  write_file_atomically(directory / "file", "");
  options.out = directory / "file/below";
  CHECK_THROWS_WITH_AS(output_path(options, "x"), doctest::Contains(options.out.c_str()),
                       UserError);
  options.out = directory / "file";
  CHECK_THROWS_WITH_AS(output_path(options, "x"), doctest::Contains(options.out.c_str()),
                       UserError);
}

TEST_CASE("catch_interrupts: a closed terminal and a closed pipe stop too, unless it is ignored") {
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGHUP, SIG_IGN);  // nohup
    catch_interrupts();
    raise(SIGHUP);
    if (interrupted()) _exit(1);
    signal(SIGHUP, SIG_DFL);
    for (int sent : {SIGHUP, SIGPIPE}) {
      catch_interrupts();
      raise(sent);
      if (!interrupted()) _exit(2);
    }
    raise(SIGPIPE);
    _exit(0);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}

TEST_CASE("catch_interrupts: the first signal sets the flag, the second ends the program") {
  const pid_t child = fork();
  if (child == 0) {
    catch_interrupts();
    if (interrupted()) _exit(1);
    raise(SIGINT);
    if (!interrupted()) _exit(2);
    raise(SIGINT);
    _exit(3);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 130);
}

}  // namespace xf::test
