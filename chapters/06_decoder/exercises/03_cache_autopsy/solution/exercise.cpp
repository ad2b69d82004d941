#include "exercise.hpp"

namespace xf::exercise {

Tensor step(const MultiHeadAttention& attention, const Tensor& x, KeysValues& past) {
  const KeysValues now = attention.keys_values(x);  // (B, 1, D)
  const bool first = !past.k.defined();
  past = first ? now : KeysValues{concat(past.k, now.k, 1), concat(past.v, now.v, 1)};
  return attention(x, past, {});
}

Tensor steps(const MultiHeadAttention& attention, const Tensor& x, KeysValues& past) {
  const KeysValues fresh = attention.keys_values(x);  // (B, n, D)
  const int before = past.k.defined() ? past.k.size(1) : 0, n = x.size(1), all = before + n;
  past.k = before > 0 ? concat(past.k, fresh.k, 1) : fresh.k;
  past.v = before > 0 ? concat(past.v, fresh.v, 1) : fresh.v;
  Ids may = Ids::full({1, n, all}, 0);
  for (int i = 0; i < n; ++i) std::fill_n(may.begin() + i * all, before + i + 1, 1);
  return attention(x, past, Mask(may));
}

}  // namespace xf::exercise
