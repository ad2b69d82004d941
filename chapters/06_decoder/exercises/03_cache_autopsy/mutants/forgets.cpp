// en: the cache was replaced, not continued: each position sees itself only
// zh: 缓存被替换而没有续接：每个位置只看得到自己

#include "exercise.hpp"

namespace xf::exercise {

Tensor step(const MultiHeadAttention& attention, const Tensor& x, KeysValues& past) {
  past = attention.keys_values(x);
  return attention.attend(x, past, {});
}

}  // namespace xf::exercise
