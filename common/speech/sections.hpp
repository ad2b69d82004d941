#pragma once

namespace xf {

// Which of a lesson's sections speaks: all, or one alone (--section N). Those before it are
// computed in silence, since the random numbers go on from section to section.

// Only this one is printed and traced; 0: all of them.
void choose_section(int number);
// The next one begins.   returns its number, from 1. Throws SectionsDone after the chosen one.
int begin_section();
// Is what happens now to be printed and traced?
bool section_speaks();
// Its number; 0 before the first.
int current_section();
// The last section of the lesson is this one. Throws UserError when the chosen one would come
// later.
void check_section(int last);

// Thrown when nothing is left to say; run_program ends with exit code 0.
struct SectionsDone {};

}  // namespace xf
