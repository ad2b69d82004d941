#pragma once

#include <span>
#include <string>
#include <vector>

#include "distributed/mailboxes.hpp"
#include "language/language.hpp"

namespace xf::many_machines {

// The text next to the steps of a picture: what they show together, and a few lines for each of
// their phases, which have equally many steps.
struct LettersTitle {
  Phrase title;
  std::vector<std::vector<Phrase>> phases;
};

// An SVG file: a column for each process, a row for each step, an arrow for each message. Where
// animation is allowed, a dot runs along each arrow in its step; a long message has a large dot.
std::string letters_svg(std::span<const Letter> letters, int processes, const LettersTitle& title);

}  // namespace xf::many_machines
