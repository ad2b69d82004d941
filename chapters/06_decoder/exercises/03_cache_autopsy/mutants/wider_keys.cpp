// en: joined along axis 3, the width of a key: positions are counted along axis 2 of (B, H, t, Dk)
// zh: 沿轴 3（键的维数）拼接了：在 (B, H, t, Dk) 中，位置是轴 2

#include "exercise.hpp"

namespace xf::exercise {

Tensor step(const MultiHeadAttention& attention, const Tensor& x, KeysValues& past) {
  const KeysValues now = attention.keys_values(x);  // (B, H, 1, Dk)
  const bool first = !past.k.defined();
  past = first ? now : KeysValues{concat(past.k, now.k, 3), concat(past.v, now.v, 3)};
  return attention.attend(x, past, {});
}

}  // namespace xf::exercise
