#pragma once

#include <string>
#include <vector>

#include "language/language.hpp"

namespace xf {

// The claims that a lesson has made so far, with claim() and agree() of speech/show.hpp. A false
// one does not end the lesson: it is marked in place, and run_program() lists all at the end.
//
//   XF_CLAIMS=FILE    appends a line for each claim to the file, in the language of the run:
//                     "true" or "false", the number of the section, the text, separated by tabs
//   XF_FALSE=TEXT     for tests: makes claims with this English text, {} not filled in, false;
//   "*": all of them

// Records the claim.   returns whether it holds
bool note_claim(bool holds, const Words& what);

// "the text (section 8)" for each false claim, in order, without duplicates.
const std::vector<std::string>& false_claims();

}  // namespace xf
