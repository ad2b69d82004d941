#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "language/language.hpp"
#include "program/number_flags.hpp"
#include "tensor/arithmetic.hpp"
#include "tensor/device.hpp"
#include "tensor/error.hpp"

namespace CLI {
class App;
}

namespace xf {

// What all programs of the tutorial share. The main() of a lesson calls run_lesson(), that of a
// program with subcommands run_commands(). Code that adds flags includes <CLI/App.hpp>; creating a
// CLI::App needs <CLI/CLI.hpp>, which takes twice as long to compile.

// Runs `body` and returns its exit code. Every exception becomes one line on stderr, "error: ...",
// sanitised by io/printable.hpp, and exit code 2; so does a failure to write to standard output.
// With several processes (distributed/processes.hpp), an error in one ends all of them.
int run_program(const std::function<int()>& body);
// Prints such a line and returns; of several processes only the first prints. A long argument from
// the command line is abbreviated to its beginning and its length.
void say_error(const Phrase& message);

// After catch_interrupts(), Ctrl-C, SIGTERM, a closed terminal (SIGHUP, unless the program runs
// under nohup) and a reader that has exited (SIGPIPE) only set this flag, which long loops check in
// order to save and stop. A second one, except SIGPIPE, ends the program at once (130; SIGTERM:
// 143; SIGHUP: 129).
std::atomic<bool>& interrupted();
void catch_interrupts();

struct CommonOptions {
  std::uint64_t seed = 1;
  int threads = 0;  // 0: all cores
  Device device = Device::cpu;
  std::optional<Arithmetic> arithmetic = {};  // none: the default of the lesson or the command
  std::string out = "out";
  int section = 0;  // of the lesson, 0: all
  bool trace = false;
  std::string trace_page = "";
};

// Adds --seed, --threads, --device, --arithmetic, --language, --out, --section, --trace and
// --trace-page.
void add_common_options(CLI::App& app, CommonOptions& options);

// Reads the command line into the variables bound to `app`; the flags of a program may also follow
// its subcommand. Returns false after --help has been printed. Throws UserError naming the flag for
// an unknown flag (with the nearest known one), a missing, empty or bad value; the form with
// CommonOptions also sets the number of threads and the default device.
bool parse(CLI::App& app, int argc, const char* const* argv);
bool parse(CLI::App& app, int argc, const char* const* argv, const CommonOptions& options);

// A program with subcommands. Each adds its flags to the app; the function that `add` returns runs
// it after the command line has been parsed, and returns the exit code. Without a subcommand the
// program runs its lesson, which has this many sections. `out` is the default of --out.
using Command = std::function<int(const CommonOptions&)>;
// Turns a part of a lesson into a command of its own.
inline Command alone(void (*run)(const CommonOptions&)) {
  return [run](const CommonOptions& options) {
    run(options);
    return 0;
  };
}
enum class Processes { one, several };  // how many mpirun may start
struct Subcommand {
  const char *name, *help;
  Command (*add)(CLI::App&);
  Arithmetic usual = Arithmetic::fast;  // default of --arithmetic; a traced run defaults to `same`
  Processes processes = Processes::one;
};
int run_commands(int argc, const char* const* argv, const std::string& title,
                 const std::string& out, const std::vector<Subcommand>& commands,
                 const Command& lesson, int sections);

// A program that consists of one lesson with this many sections: a larger --section is rejected
// before it runs. Its flags are the common ones and those that `add` adds; `options` holds the
// defaults of --threads and --out.
int run_lesson(int argc, const char* const* argv, const std::string& title, CommonOptions& options,
               int sections, const std::function<void()>& lesson,
               const std::function<void(CLI::App&)>& add = {});

// Throws UserError if there are several processes (mpirun); `what` is what needs a single one.
void refuse_others(const Phrase& what);

// Reserves the numbers of standard streams that are closed (>&-), so that no file gets one of them
// and receives what is printed. Reading from, and writing to, such a stream fails.
void occupy_closed_streams();

// The default of --out, normally `out` itself. ./learn, which can be called from any directory,
// sets XF_OUT to the path of the checkout's out/ as seen from there.
std::string usual_output(const std::string& out);
// The path for writing `file` in the --out directory, which is created if necessary. A symbolic
// link at that path is removed first, unless it points to a directory, so that its target is not
// overwritten. Throws UserError naming the directory if it cannot be created.
std::string output_path(const CommonOptions& options, const std::string& file);
// Writes the picture `text` to that path, and prints the path.
void write_picture(const CommonOptions& options, const std::string& file, std::string_view text);

}  // namespace xf
