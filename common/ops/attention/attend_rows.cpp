#include "ops/attention/attend_rows.hpp"

#include "autograd/recorder.hpp"
#include "autograd/tape.hpp"
#include "ops/attention/kernels.hpp"
#include "ops/check.hpp"
#include "ops/shape/kernels.hpp"

namespace xf {

namespace {

void check(const Tensor& q, const GrowingRows& keys, const GrowingRows& values,
           const RowLists& seen, int heads) {
  const bool fits = q.rank() == 3 && q.size(1) == 1 && keys.shape() == values.shape() &&
                    keys.width() == q.size(2) && static_cast<int>(seen.size()) == q.size(0);
  require(fits && heads > 0 && q.size(2) % heads == 0, "attend_rows", [&] {
    return "q (B, 1, D), keys and values (N, D), B lists and heads that divide D wanted: q is " +
           q.shape().str() + ", keys are " + keys.shape().str() + ", values are " +
           values.shape().str() + ", " + std::to_string(seen.size()) + " lists, " +
           std::to_string(heads) + " heads";
  });
  require(!tracked({&q}), "attend_rows", [] { return "it has no backward: use attention()"; });
  for (const std::vector<int>& list : seen)
    for (int row : list)
      require(row >= 0 && row < keys.count(), "attend_rows",
              [&] { return "row " + std::to_string(row) + " of " + keys.shape().str(); });
}

}  // namespace

Tensor attend_rows(const Tensor& q, const GrowingRows& keys, const GrowingRows& values,
                   const RowLists& seen, int heads) {
  check(q, keys, values, seen, heads);
  const Device device = common_device("attend_rows", q, keys, values);
  const bool recorded = watched("weights");
  Tensor y = Tensor::empty(q.shape(), device), weights;
  dispatch(device, [&](auto on) {
    const kernel::RowAttention rows{q.data(on), keys.data(on), values.data(on),
                                    seen,       heads,         q.size(2) / heads};
    if (recorded)
      weights = Tensor::empty({q.size(0), heads, 1, static_cast<int>(rows.longest())}, device);
    kernel::attend_rows(on, rows, recorded ? weights.data(on) : nullptr, y.data(on));
  });
  if (recorded) watch("weights", weights);
  if (!tape_observer) return y;
  const Tensor k = kernel::copy_rows(keys), v = kernel::copy_rows(values);
  constexpr Op op{"attend_rows", "softmax(q k^T / sqrt(d_k)) v, k and v from the rows kept"};
  return report(op, y, {&q, &k, &v});
}

}  // namespace xf
