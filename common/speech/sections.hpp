#pragma once

namespace xf {

// Which sections of a lesson are printed: all, or a single one (--section N). Those before it run
// without output, because the random numbers continue from section to section.

// Print and trace only this section; 0: all.
void choose_section(int number);
// Begins the next section.   returns its number, from 1. Throws SectionsDone after the chosen one.
int begin_section();
// Is the current section printed and traced?
bool section_speaks();
// Its number; 0 before the first.
int current_section();
// The last section of the lesson is this one. Throws UserError when the chosen one would come
// later.
void check_section(int last);

// Thrown after the chosen section; run_program ends with exit code 0.
struct SectionsDone {};

}  // namespace xf
