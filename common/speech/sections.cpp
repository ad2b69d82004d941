#include "speech/sections.hpp"

#include <string>

#include "tensor/error.hpp"

namespace xf {

namespace {

int chosen = 0, reached = 0;

}  // namespace

void choose_section(int number) { chosen = number; }

int begin_section() {
  if (chosen > 0 && reached == chosen) throw SectionsDone();
  return ++reached;
}

bool section_speaks() { return chosen == 0 || reached == chosen; }

int current_section() { return reached; }

void check_section(int last) {
  if (last == 0 && chosen > 0) throw UserError("--section: this program has no sections");
  if (last < chosen)
    throw UserError("--section: there is no section " + std::to_string(chosen) +
                    ", the last one is " + std::to_string(last));
}

}  // namespace xf
