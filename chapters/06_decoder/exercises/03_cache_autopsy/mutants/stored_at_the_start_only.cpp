// en: past was stored at the start only: every step stores the longer keys and values
// zh: 只在开始时存进了 past：每一步都要把接长后的键和值存回去

#include "exercise.hpp"

namespace xf::exercise {

Tensor step(const MultiHeadAttention& attention, const Tensor& x, KeysValues& past) {
  const KeysValues now = attention.keys_values(x);  // (B, H, 1, Dk)
  const bool first = !past.k.defined();
  const KeysValues all =
      first ? now : KeysValues{concat(past.k, now.k, 2), concat(past.v, now.v, 2)};
  if (first) past = now;
  return attention.attend(x, all, {});
}

}  // namespace xf::exercise
