// en: the longer keys and values were not stored in past, at the start or later: the next step
//     cannot see them
// zh: 接长后的键和值没有存回 past（开始时就没存，或之后没存）：下一步就看不到了

#include "exercise.hpp"

namespace xf::exercise {

Tensor step(const MultiHeadAttention& attention, const Tensor& x, KeysValues& past) {
  const KeysValues now = attention.keys_values(x);  // (B, H, 1, Dk)
  const bool first = !past.k.defined();
  const KeysValues all =
      first ? now : KeysValues{concat(past.k, now.k, 2), concat(past.v, now.v, 2)};
  return attention.attend(x, all, {});
}

}  // namespace xf::exercise
