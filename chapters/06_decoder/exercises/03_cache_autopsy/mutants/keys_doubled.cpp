// en: the old keys were appended to themselves: the new key is now.k
// zh: 旧的键接到了自己后面：新的键是 now.k

#include "exercise.hpp"

namespace xf::exercise {

Tensor step(const MultiHeadAttention& attention, const Tensor& x, KeysValues& past) {
  const KeysValues now = attention.keys_values(x);  // (B, H, 1, Dk)
  const bool first = !past.k.defined();
  past = first ? now : KeysValues{concat(past.k, past.k, 2), concat(past.v, now.v, 2)};
  return attention.attend(x, past, {});
}

}  // namespace xf::exercise
