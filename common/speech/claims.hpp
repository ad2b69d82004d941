#pragma once

#include <string>
#include <vector>

#include "language/language.hpp"

namespace xf {

// What a lesson has claimed so far, by claim() and agree() of speech/show.hpp. A false claim does
// not end the lesson: it is marked where it stands, and run_program() names all of them at the end.
//
//   XF_CLAIMS=FILE    a line for each claim is added to the file, in the language of the run:
//                     "true" or "false", the number of the section, the text, with tabs between
//   XF_FALSE=TEXT     the claims with this English text, its {} as they are, are false, for tests;
//   "*": all of them

// Notes it.   returns whether it holds
bool note_claim(bool holds, const Words& what);

// "the text (section 8)" of each that was false, in order, each once.
const std::vector<std::string>& false_claims();

}  // namespace xf
