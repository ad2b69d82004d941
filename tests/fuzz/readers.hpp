#pragma once

#include <string>
#include <vector>

namespace xf::test {

// A reader of files that come from elsewhere, as a function of their bytes. Whatever they are, it
// ends, and throws nothing but UserError.
struct HostileReader {
  const char* name;
  std::vector<std::string> seeds;          // whole files of tests/golden, to be damaged
  void (*read)(const std::string& bytes);  // two files are one, with a NUL between them
};
const std::vector<HostileReader>& hostile_readers();

// reader.read(bytes), where a UserError is as good as none. Throws std::runtime_error for one that
// says nothing.
void read_hostile(const HostileReader& reader, const std::string& bytes);

}  // namespace xf::test
