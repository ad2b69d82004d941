#pragma once

#include "language/language.hpp"

namespace xf {

// Bytes that this program could still allocate, or 0 where the system does not say.
double free_memory();

// Throws UserError when that is less than `bytes`; `what` begins the message and names the flag:
//   --memory 2000000: needs about 30.5 GiB, 21.4 GiB are free
void check_memory(const Phrase& what, double bytes);

}  // namespace xf
