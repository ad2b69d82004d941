#include "trace/places.hpp"

#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstdlib>
#include <fstream>

#include "io/printable.hpp"

namespace xf {

namespace {

constexpr int deepest = 64;
constexpr std::uintptr_t sentinel = 0;  // queried after each address to mark the end of its lines

std::string own_path() {
  std::array<char, PATH_MAX> path{};
  const ssize_t length = readlink("/proc/self/exe", path.data(), path.size() - 1);
  return length > 0 ? std::string(path.data(), static_cast<std::size_t>(length)) : "";
}

// The libraries whose lines are reported, and their sources.
std::map<std::string, std::string>& libraries() {
  static std::map<std::string, std::string> all;
  return all;
}
std::map<std::string, Place>& places_of_ops() {
  static std::map<std::string, Place> all;
  return all;
}

// A chapter's file in the sources of this build. The line tables may name another copy of the
// sources, if the object file comes from a compiler cache.
std::string path_of(const std::string& file, const std::string& compiled) {
#ifdef XF_SOURCES  // if the build defines it
  if (const std::string path = std::string(XF_SOURCES "/") + file; std::ifstream(path)) return path;
#endif
  return file.empty() ? file : compiled;
}

// The file name with its folder: "my/02-01_attention.cpp".
std::string own_name(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return path.substr(path.rfind('/', slash - 1) + 1);
}

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string::npos) return "";
  const std::string code = text.substr(first, text.find("  //") - first);
  return code.substr(0, code.find_last_not_of(' ') + 1);
}

}  // namespace

void Places::also(const std::string& library, const std::string& source) {
  libraries()[library] = source;
}

void Places::computes(const std::string& op, const std::string& source, const std::string& name) {
  std::ifstream file(source);
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    const std::size_t at = line.find(" " + name + "(");
    if (at == line.npos || line[0] == ' ' || line[0] == '/' || line.ends_with(';')) continue;
    places_of_ops()[op] = {own_name(source), number, source, trimmed(line)};
    return;
  }
}

Places::Object* Places::object_of(void* address) {
  Dl_info info{}, own{};
  if (!dladdr(address, &info) || !dladdr(reinterpret_cast<void*>(&libraries), &own)) return nullptr;
  const auto [found, is_new] = objects_.try_emplace(info.dli_fbase);
  Object& object = found->second;
  const bool is_program = info.dli_fbase == own.dli_fbase;
  const auto library = libraries().find(info.dli_fname);
  if (!is_program && library == libraries().end()) return nullptr;
  if (!is_new) return &object;
  if (!is_program) object.source = library->second;
  // The load address to subtract: 0 for a program that is loaded at its link address.
  const auto* header = static_cast<const ElfW(Ehdr)*>(info.dli_fbase);
  if (header->e_type == ET_DYN) object.base = reinterpret_cast<std::uintptr_t>(info.dli_fbase);
  const std::string file = is_program ? own_path() : library->first;
  int in[2], out[2];
  if (file.empty() || pipe(in) != 0 || pipe(out) != 0) return &object;
  object.process = fork();
  if (object.process == 0) {
    dup2(in[0], 0);
    dup2(out[1], 1);
    for (const int end : {in[0], in[1], out[0], out[1]}) close(end);
    if (!std::freopen("/dev/null", "w", stderr)) _exit(127);
    execlp("addr2line", "addr2line", "-a", "-i", "-e", file.c_str(), nullptr);
    _exit(127);
  }
  close(in[0]);
  close(out[1]);
  object.to = in[1];
  object.from = out[0];
  // Otherwise the next addr2line would keep this one's standard input open.
  for (const int end : {object.to, object.from}) fcntl(end, F_SETFD, FD_CLOEXEC);
  return &object;
}

Places::~Places() {
  for (auto& [place, object] : objects_) {
    if (object.process <= 0) continue;
    close(object.to);
    close(object.from);
    waitpid(object.process, nullptr, 0);
  }
}

Place Places::caller(const std::string& op) {
  if (const auto known = places_of_ops().find(op); known != places_of_ops().end())
    return known->second;
  std::array<void*, deepest> stack{};
  const int depth = backtrace(stack.data(), deepest);
  for (int i = 1; i < depth; ++i) {
    void* const address = stack[static_cast<std::size_t>(i)];
    Object* const object = object_of(address);
    if (!object) continue;
    // The call is just before its return address.
    for (const Place& place :
         lines_at(*object, reinterpret_cast<std::uintptr_t>(address) - 1 - object->base))
      if (!place.file.empty()) return place;
  }
  return {};
}

const std::vector<Place>& Places::lines_at(Object& object, std::uintptr_t address) {
  const auto [known, is_new] = object.known.try_emplace(address);
  if (!is_new || object.to < 0) return known->second;
  const std::string question =
      formatted("%#jx\n%#jx\n", std::uintmax_t{address}, std::uintmax_t{sentinel});
  if (write(object.to, question.data(), question.size()) != std::ssize(question))
    return known->second;
  // The answer: the address, then "file:line" of each function, innermost first; then the same for
  // the sentinel, whose only line is "??:0".
  object.next_line();
  for (std::string line = object.next_line(); !line.empty() && !line.starts_with("0x");
       line = object.next_line()) {
    const std::size_t colon = line.rfind(':'), room = line.rfind("/chapters/", colon);
    const int number = std::atoi(line.c_str() + std::min(colon, line.size() - 1) + 1);
    const std::string compiled = line.substr(0, colon);
    if (!object.source.empty() && compiled == object.source) {
      known->second.push_back({own_name(compiled), number, compiled, code_of(compiled, number)});
      continue;
    }
    const bool is_joined = line.find("/CMakeFiles/") < colon;  // generated from several files
    if (room == std::string::npos || is_joined) continue;
    const std::string file = line.substr(room + 1, colon - room - 1);
    const std::string path = path_of(file, compiled);
    known->second.push_back({file, number, path, code_of(path, number)});
  }
  object.next_line();
  return known->second;
}

std::string Places::Object::next_line() {
  std::size_t end = unread.find('\n');
  while (end == std::string::npos && from >= 0) {
    std::array<char, 4096> part{};
    const ssize_t count = read(from, part.data(), part.size());
    if (count <= 0) return "";  // addr2line is missing
    unread.append(part.data(), static_cast<std::size_t>(count));
    end = unread.find('\n');
  }
  std::string line = unread.substr(0, end);
  unread.erase(0, end + 1);
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
