#include "speech/sections.hpp"

#include <string>

#include "tensor/error.hpp"

namespace xf {

namespace {

int chosen = 0, reached = 0;
std::string heading;

}  // namespace

void choose_section(int number) { chosen = number; }

std::string begin_section(const std::string& title) {
  if (chosen > 0 && reached == chosen) throw SectionsDone();
  return heading = std::to_string(++reached) + ". " + title;
}

void skip_section() {
  if (chosen > 0 && reached == chosen) throw SectionsDone();
  ++reached;
}

bool section_speaks() { return chosen == 0 || reached == chosen; }

int current_section() { return reached; }

std::string current_heading() { return heading; }

void check_section(int last) {
  if (last == 0 && chosen > 0) throw UserError("--section: this program has no sections");
  if (last < chosen)
    throw UserError("--section: there is no section {}; the last one is {}", chosen, last);
}

}  // namespace xf
