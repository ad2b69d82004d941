#pragma once

#include "live/switches.hpp"

namespace xf::live {

// {"number": 0} -> {"source", "read", "target", "p": [...], "causal", "scores", "weights",
// "written", "ended"}: one of the held-out sentences, as the model sees it in training. The decoder
// reads <bos> and the right translation without its end; "p" is the probability of each right next
// token, "target", the last of which is <eos>. "scores", Q K^T before the division and the mask,
// and "weights" are those of its self-attention, [[matrix per head] per layer]. "written" is the
// model's own greedy translation; if it is longer than "target" by two tokens, it is cut there, and
// "ended" is false. Throws UserError if there is no sentence with this number.
Json taught(const Subject& subject, Fields& request);

}  // namespace xf::live
