#pragma once

#include <string>

namespace xf {

// Which sections of a lesson are printed: all, or a single one (--section N). Earlier sections then
// run without output, because the random numbers continue from section to section.

// Prints and traces only this section; 0: all.
void choose_section(int number);
// Begins the next section, with this title. Returns its heading, "1. Title". Throws SectionsDone
// after the chosen section.
std::string begin_section(const std::string& title);
// Leaves one out, so that those after it keep their numbers.
void skip_section();
// Whether the current section is printed and traced.
bool section_speaks();
// Its number; 0 before the first.
int current_section();
// Its heading; empty before the first.
std::string current_heading();
// Call with the number of the lesson's last section. Throws UserError if a later one was chosen.
void check_section(int last);

// Thrown after the chosen section; run_program ends with exit code 0.
struct SectionsDone {};

}  // namespace xf
