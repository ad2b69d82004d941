// en: the newest position does not see itself: its key and value came too late
// zh: 最新的位置看不到自己：它的键和值追加得太晚

#include "exercise.hpp"

namespace xf::exercise {

Tensor step(const MultiHeadAttention& attention, const Tensor& x, KeysValues& past) {
  const KeysValues now = attention.keys_values(x);  // (B, H, 1, Dk)
  if (!past.k.defined()) {
    past = now;
    return attention.attend(x, past, {});
  }
  const Tensor out = attention.attend(x, past, {});
  past = {concat(past.k, now.k, 2), concat(past.v, now.v, 2)};
  return out;
}

}  // namespace xf::exercise
