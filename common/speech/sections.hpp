#pragma once

#include <string>

namespace xf {

// Which sections of a lesson are printed: all, or a single one (--section N). Those before it run
// without output, because the random numbers continue from section to section.

// Print and trace only this section; 0: all.
void choose_section(int number);
// Begins the next section, of this title. Returns its heading, "1. Title". Throws SectionsDone
// after the chosen one.
std::string begin_section(const std::string& title);
// Is the current section printed and traced?
bool section_speaks();
// Its number; 0 before the first.
int current_section();
// Its heading; empty before the first.
std::string current_heading();
// The last section of the lesson is this one. Throws UserError when the chosen one would come
// later.
void check_section(int last);

// Thrown after the chosen section; run_program ends with exit code 0.
struct SectionsDone {};

}  // namespace xf
