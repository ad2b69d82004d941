// en: the keys were kept as values too
// zh: 把键也当成值存了下来

#include "exercise.hpp"

namespace xf::exercise {

Tensor step(const MultiHeadAttention& attention, const Tensor& x, KeysValues& past) {
  const KeysValues now = attention.keys_values(x);
  const bool first = !past.k.defined();
  past = first ? KeysValues{now.k, now.k}
               : KeysValues{concat(past.k, now.k, 2), concat(past.v, now.k, 2)};
  return attention.attend(x, past, {});
}

}  // namespace xf::exercise
