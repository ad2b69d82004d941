#pragma once

#include <span>
#include <string>

#include "distributed/mailboxes.hpp"

namespace xf::many_machines {

// An SVG file: a column for each process, a row for each step, an arrow for each message. Where
// pictures may move, a dot runs along each arrow in its step; a long message has a large dot.
std::string letters_svg(std::span<const Letter> letters, int processes);

}  // namespace xf::many_machines
