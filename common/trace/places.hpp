#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace xf {

// A line of a chapter.
struct Place {
  std::string file;  // "chapters/02_attention/attention.hpp"; empty: unknown
  int line = 0;
  std::string path;  // of the file
  std::string code;  // the line's code, where the sources are still in their place
};

// Finds the line of a chapter that a call comes from: the return addresses of the stack, looked up
// in the line tables of this program by binutils' addr2line, in a process of its own. (libbacktrace
// of GCC 12 misreads the ranges of inlined functions: it gave the line of a destructor's brace
// for a call before it.)
class Places {
 public:
  Places();
  ~Places();
  Places(const Places&) = delete;
  Places& operator=(const Places&) = delete;

  // The innermost one on the stack.
  Place caller();

 private:
  // The lines of one return address, innermost first: inlined functions have several.
  const std::vector<Place>& lines_at(std::uintptr_t address);
  std::string next_line();  // of addr2line's answer; empty when there is none
  std::string code_of(const std::string& path, int line);

  int to_ = -1, from_ = -1, process_ = -1;  // addr2line's standard input and output
  std::string unread_;
  std::uintptr_t base_ = 0;
  std::map<std::uintptr_t, std::vector<Place>> known_;
  std::map<std::string, std::vector<std::string>> sources_;
};

}  // namespace xf
