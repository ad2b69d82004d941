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
  std::string code;  // the code in the line, if the sources are still there
};

// Finds the line of a chapter from which a call comes: it looks up the return addresses on the
// stack in the line tables of this program, with binutils' addr2line in a process of its own.
// (libbacktrace of GCC 12 misreads the ranges of inlined functions: for a call, it gave the line of
// a destructor's brace further down.)
class Places {
 public:
  Places() = default;
  ~Places();
  Places(const Places&) = delete;
  Places& operator=(const Places&) = delete;

  // The innermost chapter line on the stack; for an op given to computes(), the line found there.
  Place caller(const std::string& op);

  // Also reports the lines of a library that this program has loaded, from its only source.
  static void also(const std::string& library, const std::string& source);
  // Sets the place of an op to the function that computes its numbers, which has returned before
  // the op is recorded, and so is not on the stack. Does nothing if the source does not define it.
  static void computes(const std::string& op, const std::string& source, const std::string& name);

 private:
  // The program or such a library, with an addr2line process for it.
  struct Object {
    int to = -1, from = -1, process = -1;  // addr2line's standard input and output
    std::string source = {};               // of a library
    std::uintptr_t base = 0;
    std::string unread = {};
    std::map<std::uintptr_t, std::vector<Place>> known = {};

    std::string next_line();  // of addr2line's answer; empty when there is none
  };

  Object* object_of(void* address);  // null for any other library
  // The lines of one return address, innermost first: inlined functions have several.
  const std::vector<Place>& lines_at(Object& object, std::uintptr_t address);
  std::string code_of(const std::string& path, int line);

  std::map<const void*, Object> objects_;  // by load address
  std::map<std::string, std::vector<std::string>> sources_;
};

}  // namespace xf
