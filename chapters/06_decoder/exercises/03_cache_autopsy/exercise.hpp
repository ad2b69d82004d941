#pragma once

#include "02_attention/multi_head_attention.hpp"
#include "support/kit.hpp"

namespace xf::exercise {

// Causal self-attention, one position at a time. KeysValues is struct { Tensor k, v; }.
//   x: (B, 1, D), position t   past: k and v of the positions before, (B, t, D) each,
//   undefined at the start     returns (B, 1, D), and appends position t to `past`
Tensor step(const MultiHeadAttention& attention, const Tensor& x, KeysValues& past);

// The same for several positions at once, such as those of a prompt: each sees the past, the new
// positions before it, and itself.
//   x: (B, n, D), positions t … t + n - 1   returns (B, n, D), and appends all n to `past`
Tensor steps(const MultiHeadAttention& attention, const Tensor& x, KeysValues& past);

}  // namespace xf::exercise
