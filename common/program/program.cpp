#include "program/program.hpp"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <iostream>
#include <new>
#include <numeric>
#include <set>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "distributed/processes.hpp"
#include "io/files.hpp"
#include "io/mapped_file.hpp"
#include "io/numbers.hpp"
#include "io/printable.hpp"
#include "io/utf8.hpp"
#include "program/help.hpp"
#include "speech/claims.hpp"
#include "speech/sections.hpp"
#include "speech/show.hpp"
#include "tensor/openblas.hpp"
#include "tensor/parallel.hpp"
#include "trace/trace_page.hpp"

namespace xf {

namespace {

// The arguments of the command line that are too long for an error message.
std::vector<std::string> long_words;

void note_long_words(int argc, const char* const* argv) {
  constexpr std::size_t longest = 200;
  long_words.clear();
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const std::size_t equals = word.starts_with("--") ? word.find('=') : word.npos;
    for (const std::string& part :
         {word.substr(0, equals), equals == word.npos ? "" : word.substr(equals + 1)})
      if (part.size() > longest) long_words.push_back(part);
  }
}

std::string error_line(const Phrase& message) {
  std::string line = message;
  for (const std::string& word : long_words) line = replaced(line, word, shortened(word));
  return translated("error: ") + printable(line);
}

// In a single write, because mpiexec may otherwise put its own messages in between.
void say_at_once(std::string line) { std::cerr << (line += '\n') << std::flush; }

// With several processes, all of them fail if the command line is wrong, but only one if its
// machine lacks a file. The others wait for the first: it may have printed the error and be ending
// all processes, which takes Open MPI a second.
int fail(const Phrase& message) {
  std::cout.flush();
  std::fflush(stdout);
  if (!first_process()) std::this_thread::sleep_for(std::chrono::seconds(3));
  std::string line = error_line(message);
  if (several_processes()) line += words(" ({})", name_of_process(everyone().rank())).str();
  say_at_once(line);
  end_all(2);
  return 2;
}

extern "C" void on_signal(int signal) {
  if (interrupted().exchange(true)) _exit(128 + signal);
}

extern "C" void on_closed_pipe(int) { interrupted() = true; }

void handle(int signal, void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigaction(signal, &action, nullptr);
}

// The number of letters to insert, delete or replace (Levenshtein 1966).
std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row.back();
}

// The flags, with their dashes, of the app and of its subcommands, or of the chosen ones only.
std::vector<std::string> flags_of(const CLI::App& app, bool chosen) {
  std::vector<std::string> flags;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) flags.push_back("--" + name);
  for (const CLI::App* command :
       app.get_subcommands([&](const CLI::App* one) { return !chosen || one->parsed(); }))
    std::ranges::copy(flags_of(*command, chosen), std::back_inserter(flags));
  return flags;
}

// CLI11 reads "--out --resume" as a directory named "--resume". It takes an empty argument, which
// results from an unset variable in a script, for 0 or for a flag that was not given.
void check_values(const CLI::App& app, const std::vector<std::string>& flags,
                  const std::set<std::string>& words) {
  for (const std::string& flag : flags)
    if (words.contains(flag + '=')) throw UserError("{}: its value is empty", flag);
  std::set<const CLI::Option*> seen;
  for (const CLI::Option* option : app.parse_order()) {
    if (option->get_expected_min() == 0) continue;
    const std::string name = option->get_name();
    const auto& values = option->results();
    if (std::ranges::count(values, "")) throw UserError("{}: its value is empty", name);
    for (const std::string& value : values)
      if (std::ranges::count(flags, value) && !words.contains(name + '=' + value))
        throw UserError("{}: its value is missing, because {} follows", name, value);
    if (!seen.insert(option).second && option->get_expected_max() == 1)
      throw UserError("{}: given twice", name);
  }
  for (const CLI::App* command : app.get_subcommands()) check_values(*command, flags, words);
}

// The known flag or subcommand most similar to `word`; "" if none is similar.
std::string nearest(const CLI::App& app, const std::string& word) {
  std::vector<std::string> known = flags_of(app, true);
  for (const CLI::App* command : app.get_subcommands({})) known.push_back(command->get_name());
  std::string found;
  std::size_t least = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string& name : known)
    if (const std::size_t distance = edit_distance(word, name); distance < least) {
      least = distance;
      found = name;
    }
  return found;
}

// One message about the arguments that were not recognised.
Phrase unknown(const CLI::App& app, const std::vector<std::string>& left) {
  const auto is_flag = [](const std::string& word) { return word.size() > 1 && word[0] == '-'; };
  const auto flag = std::ranges::find_if(left, is_flag);
  const std::string word = flag == left.end() ? left.front() : flag->substr(0, flag->find('='));
  const Words problem =
      flag == left.end() ? words("unexpected argument '{}'", word) : words("unknown flag {}", word);
  const std::string meant = nearest(app, word);
  return meant.empty() ? words("{}; see --help for what is available", problem)
                       : words("{}; did you mean {}?", problem, meant);
}

Device device_named(const std::string& text) {
  if (text == "cpu") return Device::cpu;
  const auto known = [&](const char* device, bool built, const char* preset) {
    if (text == device && !built)
      throw CLI::ValidationError(
          "--device",
          noted(words("{} is not built into this program (preset '{}' builds it)", text, preset)));
    return text == device;
  };
  if (!known("cuda", built_with_cuda(), "cuda") &&
      !known("cuda-emulated", built_with_emulator(), "release"))
    throw CLI::ValidationError("--device",
                               noted(words("expected cpu, cuda or cuda-emulated, not '{}'", text)));
  return Device::cuda;
}

// The exit code of `body`; 0 if it stopped after the chosen section.
int run_sections(const std::function<int()>& body) {
  try {
    const int code = body();
    check_section(current_section());
    return code;
  } catch (const SectionsDone&) {
    return 0;
  }
}

Arithmetic arithmetic_named(const std::string& text) {
  if (text != "same" && text != "fast")
    throw CLI::ValidationError("--arithmetic",
                               noted(words("expected same or fast, not '{}'", text)));
  return text == "fast" ? Arithmetic::fast : Arithmetic::same;
}

// Rejects options and outputs that would make the lesson fail, before it has run for a minute.
void check_lesson(const CommonOptions& options, int sections) {
  refuse_others("a lesson");
  openblas::bring_buffer();  // unlike xtensor's products
  check_section(sections);
  require_writable(output_path(options, "lesson"));
}

// Prints the claims of the lesson that were false, one per line.   returns 2 if there are any
int with_claims(int code) {
  if (false_claims().empty()) return code;
  std::cout.flush();
  std::fflush(stdout);
  for (const std::string& text : false_claims())
    std::cerr << translated("error: ") << translated("this claim of the lesson is false: ")
              << printable(text) << std::endl;
  return 2;
}

Language language_named(const std::string& text) {
  if (text != "en" && text != "zh")
    throw CLI::ValidationError("--language", noted(words("expected en or zh, not '{}'", text)));
  return text == "zh" ? Language::zh : Language::en;
}

bool is_traced(const CommonOptions& options) {
  return options.trace || !options.trace_page.empty();
}

int run_to_the_end(const std::function<int()>& body) {
  occupy_closed_streams();
  handle(SIGXFSZ, SIG_IGN);  // exceeding the file size limit then is an error of write()
  MappedFile::error_line = error_line;
  std::optional<ProcessGroup> group;  // destroyed normally, or ended by end_all()
  try {
    group.emplace([](const Phrase& message) { say_at_once(error_line(message)); });
    const int code = run_sections(body);
    finish_trace();
    if (!std::cout.flush() || std::fflush(stdout) != 0)
      return fail("standard output cannot be written");
    return with_claims(code);
  } catch (const std::bad_alloc&) {
    return with_claims(fail("there is not enough memory for this"));
  } catch (const std::exception& exception) {
    return with_claims(fail(message_of(exception)));
  }
}

}  // namespace

int run_program(const std::function<int()>& body) {
  const int code = run_to_the_end(body);
  if (openblas::has_room(1)) return code;
  _exit(code);  // exit() would wait for OpenBLAS's threads, which wait for memory
}

void say_error(const Phrase& message) {
  if (!first_process()) return;
  std::cout.flush();  // earlier output
  say_at_once(error_line(message));
}

void refuse_others(const Phrase& what) {
  if (several_processes()) throw UserError("{} runs in one process: start it without mpirun", what);
}

std::atomic<bool>& interrupted() {
  static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler writes it");
  static std::atomic<bool> flag{false};
  return flag;
}

void catch_interrupts() {
  interrupted() = false;  // constructs the flag before the first signal
  handle(SIGINT, on_signal);
  handle(SIGTERM, on_signal);
  struct sigaction before = {};
  sigaction(SIGHUP, nullptr, &before);
  if (before.sa_handler != SIG_IGN) handle(SIGHUP, on_signal);  // nohup: keep running
  handle(SIGPIPE, on_closed_pipe);
}

void add_common_options(CLI::App& app, CommonOptions& options) {
  options.out = usual_output(options.out);
  app.add_option("--seed", options.seed,
                 "seed of all random numbers: the same seed gives the same output")
      ->check([](const std::string& text) {
        if (text[0] == '-') return noted("must not be negative");
        return number_in<std::uint64_t>(text) ? "" : noted("does not fit into 64 bits");
      })
      ->capture_default_str();
  app.add_option("--threads", options.threads, "how many threads to use, 1 to 256")
      ->check(range_problem(1, 256))
      ->default_str(options.threads > 0 ? std::to_string(options.threads) : "all cores");
  app.add_option_function<std::string>(
         "--device", [&](const std::string& text) { options.device = device_named(text); },
         "where the tensors live: cpu, cuda, or cuda-emulated, which runs the GPU's kernels on the "
         "CPU")
      ->default_str(name(options.device));
  app.add_option_function<std::string>(
         "--arithmetic",
         [&](const std::string& text) { options.arithmetic = arithmetic_named(text); },
         "same: the same digits on every machine; fast: whatever is fastest on this processor")
      ->default_str("same in lessons and traces, fast in commands");
  app.add_option_function<std::string>(
         "--language", [](const std::string& text) { set_language(language_named(text)); },
         "language of the lesson: en or zh")
      ->trigger_on_parse()  // because help and errors use this language
      ->default_str("the terminal's");
  app.add_option("--out", options.out, "directory for pictures and other output")
      ->type_name("DIR")
      ->capture_default_str();
  app.add_option("--section", options.section, "print and trace only this section")
      ->check(range_problem(1, 99))
      ->default_str("all");
  app.add_flag("--trace", options.trace,
               "print to standard error what each operation computes and where it is in the "
               "source");
  app.add_option("--trace-page", options.trace_page,
                 "the same on a web page that steps through the forward and backward pass")
      ->type_name("FILE");
}

bool parse(CLI::App& app, int argc, const char* const* argv) {
  note_long_words(argc, argv);
  read_numbers_strictly(app);
  for (CLI::App* command : app.get_subcommands({})) command->fallthrough();
  set_language(language_of_environment());
  const auto check = [&] { check_values(app, flags_of(app, false), {argv, argv + argc}); };
  try {
    app.parse(argc, argv);
    check();
    return true;
  } catch (const CLI::ParseError& error) {
    check();
    if (error.get_exit_code() == 0) {
      std::cout << help_text(app);
      return false;
    }
    const std::vector<std::string> left = app.remaining(true);
    throw UserError(left.empty() ? of_parser(error.what()) : unknown(app, left));
  }
}

bool parse(CLI::App& app, int argc, const char* const* argv, const CommonOptions& options) {
  if (!parse(app, argc, argv)) return false;
  if (options.threads > 0) set_threads(options.threads);
  if (options.device != Device::cpu || is_traced(options))
    set_threads(1);  // a GPU gets its work from one thread, and a trace is sequential
  set_default_device(options.device);
  set_arithmetic(options.arithmetic.value_or(Arithmetic::same));
  choose_section(options.section);
  const auto folder = [](const std::filesystem::path& path) { return path.lexically_normal(); };
  const std::filesystem::path of_page = std::filesystem::path(options.trace_page).parent_path();
  if (!of_page.empty() && folder(of_page) == folder(options.out)) make_directory(options.out);
  start_trace(options.trace, options.trace_page, app.get_description());
  return true;
}

int run_commands(int argc, const char* const* argv, const std::string& title,
                 const std::string& out, const std::vector<Subcommand>& commands,
                 const Command& lesson, int sections) {
  return run_program([&] {
    CLI::App app(title);
    CommonOptions options{.out = out};
    add_common_options(app, options);
    std::vector<std::tuple<CLI::App*, Command, const Subcommand*>> added;
    for (const Subcommand& command : commands) {
      CLI::App* own = app.add_subcommand(command.name, command.help);
      added.emplace_back(own, command.add(*own), &command);
    }
    app.require_subcommand(0, 1);
    if (!parse(app, argc, argv, options)) return 0;
    for (const auto& [own, run, command] : added) {
      if (!own->parsed()) continue;
      if (command->processes == Processes::one) refuse_others(own->get_name());
      set_arithmetic(
          options.arithmetic.value_or(is_traced(options) ? Arithmetic::same : command->usual));
      if (options.section > 0)
        throw UserError("--section: {} has no sections; only the lesson has them", own->get_name());
      return run(options);
    }
    check_lesson(options, sections);
    return lesson(options);
  });
}

int run_lesson(int argc, const char* const* argv, const std::string& title, CommonOptions& options,
               int sections, const std::function<void()>& lesson,
               const std::function<void(CLI::App&)>& add) {
  return run_program([&] {
    CLI::App app(title);
    add_common_options(app, options);
    if (add) add(app);
    if (!parse(app, argc, argv, options)) return 0;
    check_lesson(options, sections);
    lesson();
    return 0;
  });
}

}  // namespace xf
