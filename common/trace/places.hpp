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

  // The innermost one on the stack; of an op that has a place, this one.
  Place caller(const std::string& op);

  // A library that this program has loaded, whose lines count as well: those of its only source.
  static void also(const std::string& library, const std::string& source);
  // Where the function begins that computes the numbers of this op: it returns before the op is
  // recorded, and is on no stack. A source that does not define it changes nothing.
  static void computes(const std::string& op, const std::string& source, const std::string& name);

 private:
  // The program, or such a library, and an addr2line that runs beside it.
  struct Object {
    int to = -1, from = -1, process = -1;  // addr2line's standard input and output
    std::string source = {};               // of a library
    std::uintptr_t base = 0;
    std::string unread = {};
    std::map<std::uintptr_t, std::vector<Place>> known = {};

    std::string next_line();  // of addr2line's answer; empty when there is none
  };

  Object* object_of(void* address);  // null: of another library
  // The lines of one return address, innermost first: inlined functions have several.
  const std::vector<Place>& lines_at(Object& object, std::uintptr_t address);
  std::string code_of(const std::string& path, int line);

  std::map<const void*, Object> objects_;  // by where they are loaded
  std::map<std::string, std::vector<std::string>> sources_;
};

}  // namespace xf
