#include "trace/places.hpp"

#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <cstdlib>
#include <fstream>

#include "io/printable.hpp"

namespace xf {

namespace {

constexpr int deepest = 64;
constexpr std::uintptr_t sentinel = 0;  // asked after each address: its answer ends the lines

std::string own_path() {
  std::array<char, PATH_MAX> path{};
  const ssize_t length = readlink("/proc/self/exe", path.data(), path.size() - 1);
  return length > 0 ? std::string(path.data(), static_cast<std::size_t>(length)) : "";
}

// The load address to subtract: 0 for a program that is loaded where it was linked.
std::uintptr_t own_base() {
  Dl_info info{};
  if (!dladdr(reinterpret_cast<void*>(&own_base), &info)) return 0;
  const auto* header = static_cast<const ElfW(Ehdr)*>(info.dli_fbase);
  return header->e_type == ET_DYN ? reinterpret_cast<std::uintptr_t>(info.dli_fbase) : 0;
}

bool in_this_program(void* address) {
  Dl_info own{}, other{};
  return dladdr(reinterpret_cast<void*>(&own_base), &own) && dladdr(address, &other) &&
         own.dli_fbase == other.dli_fbase;
}

// A chapter's file in the sources of this build. The line tables may name another copy of them,
// from which a compiler cache took the object.
std::string path_of(const std::string& file, const std::string& compiled) {
#ifdef XF_SOURCES  // where the build says it
  if (const std::string path = std::string(XF_SOURCES "/") + file; std::ifstream(path)) return path;
#endif
  return file.empty() ? file : compiled;
}

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string::npos) return "";
  const std::string code = text.substr(first, text.find("  //") - first);
  return code.substr(0, code.find_last_not_of(' ') + 1);
}

}  // namespace

Places::Places() : base_(own_base()) {
  int in[2], out[2];
  const std::string program = own_path();
  if (program.empty() || pipe(in) != 0 || pipe(out) != 0) return;
  process_ = fork();
  if (process_ == 0) {
    dup2(in[0], 0);
    dup2(out[1], 1);
    for (const int end : {in[0], in[1], out[0], out[1]}) close(end);
    if (!std::freopen("/dev/null", "w", stderr)) _exit(127);
    execlp("addr2line", "addr2line", "-a", "-i", "-e", program.c_str(), nullptr);
    _exit(127);
  }
  close(in[0]);
  close(out[1]);
  to_ = in[1];
  from_ = out[0];
}

Places::~Places() {
  if (process_ <= 0) return;
  close(to_);
  close(from_);
  waitpid(process_, nullptr, 0);
}

Place Places::caller() {
  std::array<void*, deepest> stack{};
  const int depth = backtrace(stack.data(), deepest);
  for (int i = 1; i < depth; ++i) {
    void* const address = stack[static_cast<std::size_t>(i)];
    if (!in_this_program(address)) continue;
    // The call stands before the address that it returns to.
    for (const Place& place : lines_at(reinterpret_cast<std::uintptr_t>(address) - 1 - base_))
      if (!place.file.empty()) return place;
  }
  return {};
}

const std::vector<Place>& Places::lines_at(std::uintptr_t address) {
  const auto [known, is_new] = known_.try_emplace(address);
  if (!is_new || to_ < 0) return known->second;
  const std::string question =
      formatted("%#jx\n%#jx\n", std::uintmax_t{address}, std::uintmax_t{sentinel});
  if (write(to_, question.data(), question.size()) != std::ssize(question)) return known->second;
  // Its answer: the address, "file:line" of each function, innermost first; then the same of the
  // sentinel, whose only line is "??:0".
  next_line();
  for (std::string line = next_line(); !line.empty() && !line.starts_with("0x");
       line = next_line()) {
    const std::size_t colon = line.rfind(':'), room = line.rfind("/chapters/", colon);
    const bool is_joined = line.find("/CMakeFiles/") < colon;  // by the build, out of several files
    if (room == std::string::npos || is_joined) continue;
    const std::string file = line.substr(room + 1, colon - room - 1);
    const std::string path = path_of(file, line.substr(0, colon));
    const int number = std::atoi(line.c_str() + colon + 1);
    known->second.push_back({file, number, path, code_of(path, number)});
  }
  next_line();
  return known->second;
}

std::string Places::next_line() {
  std::size_t end = unread_.find('\n');
  while (end == std::string::npos && from_ >= 0) {
    std::array<char, 4096> part{};
    const ssize_t count = read(from_, part.data(), part.size());
    if (count <= 0) return "";  // there is no addr2line
    unread_.append(part.data(), static_cast<std::size_t>(count));
    end = unread_.find('\n');
  }
  std::string line = unread_.substr(0, end);
  unread_.erase(0, end + 1);
  return line;
}

std::string Places::code_of(const std::string& path, int line) {
  const auto [found, is_new] = sources_.try_emplace(path);
  if (is_new) {
    std::ifstream file(path);
    for (std::string text; std::getline(file, text);) found->second.push_back(text);
  }
  const auto index = static_cast<std::size_t>(line - 1);
  return line > 0 && index < found->second.size() ? trimmed(found->second[index]) : "";
}

}  // namespace xf
