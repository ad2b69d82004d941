#pragma once

#include "live/switches.hpp"

namespace xf::live {

// {"number": 0} -> {"source", "read", "target", "p": [...], "causal", "scores", "weights",
// "written", "ended"}: one of the sentences that were held out, as training shows it to the model.
// The decoder reads <bos> and the right translation but for its end; "p" is what it gives each
// right next token, "target", the last of which is <eos>. "scores", Q K^T before the division and
// the mask, and "weights" are those of its self-attention, [[matrix per head] per layer].
// "written" is what the model writes by itself, greedily, and "ended" is false where it would go
// on: it is cut when it has two tokens more than "target". Throws UserError for a number that
// there is not.
Json taught(const Subject& subject, Fields& request);

}  // namespace xf::live
