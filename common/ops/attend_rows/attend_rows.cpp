#include "ops/attend_rows/attend_rows.hpp"

#include <algorithm>

#include "autograd/tape.hpp"
#include "ops/attend_rows/kernels.hpp"
#include "ops/check.hpp"
#include "tensor/parallel.hpp"

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
  const std::ptrdiff_t width = q.size(2);
  std::size_t longest = 0;
  for (const std::vector<int>& list : seen) longest = std::max(longest, list.size());
  const std::ptrdiff_t work = width * static_cast<std::ptrdiff_t>(longest);  // a query's
  Tensor y = Tensor::empty(q.shape(), q.device());
  dispatch(q.device(), [&](auto on) {
    const std::ptrdiff_t grain = std::max<std::ptrdiff_t>(1, (1 << 15) / (work + 1));
    parallel_for(q.size(0), grain, [&](std::ptrdiff_t first, std::ptrdiff_t last) {
      Tensor scores = Tensor::empty({static_cast<int>(longest) + 16}, q.device());
      for (std::ptrdiff_t b = first; b < last; ++b)
        kernel::attend_rows(on, q.data() + b * width, keys.data(), values.data(),
                            seen[static_cast<std::size_t>(b)], heads,
                            static_cast<int>(width) / heads, scores.data(), y.data() + b * width);
    });
  });
  return y;
}

}  // namespace xf
