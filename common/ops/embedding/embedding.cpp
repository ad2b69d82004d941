#include "ops/embedding/embedding.hpp"

#include <algorithm>
#include <vector>

#include "ops/check.hpp"
#include "ops/embedding/kernels.hpp"
#include "tensor/kernels.hpp"

namespace xf {

Tensor embedding(const Ids& ids, const Tensor& table) {
  require(ids.shape().rank() == 2 && table.rank() == 2, "embedding", [&] {
    return "ids (B, T) and a table (V, D) wanted: ids are " + ids.shape().str() +
           ", the table is " + table.shape().str();
  });
  const std::int32_t vocabulary = table.size(0);
  const auto bad = std::find_if(ids.begin(), ids.end(),
                                [&](std::int32_t id) { return id < 0 || id >= vocabulary; });
  require(bad == ids.end(), "embedding",
          [&] { return words("id {} is not in a table of {} rows", *bad, vocabulary); });
  const int columns = table.size(1);
  Tensor y = Tensor::empty({ids.size(0), ids.size(1), columns}, table.device());
  if (const StoredRows* rows = table.stored()) {
    std::vector<float> row(static_cast<std::size_t>(columns));
    for (std::ptrdiff_t i = 0; i < ids.count(); ++i) {
      rows->from(ids[i]).read(1, row.data());
      copy_into(y, row, i * columns);
    }
  } else {
    dispatch(table.device(), [&](auto on) {
      kernel::gather(on, ids.data(on), table.data(on), y.data(on), ids.count(), columns);
    });
  }
  const Shape table_shape = table.shape();
  constexpr Op op{"embedding", "rows of the table", "row dy_t is added to the row of its token"};
  return record(op, y, {&table}, [=](InputGradients& inputs, const Tensor& dy) {
    auto held = inputs.accumulate(0, table_shape, dy.device());
    Tensor& dtable = held.first;  // clang 14 captures no structured binding
    const bool sum = held.second;
    dispatch(dy.device(), [&](auto on) {
      float* const to = dtable.data(on);
      if (!sum) kernel::fill(on, to, 0.0f, dtable.count());
      kernel::scatter_add(on, {ids.begin(), ids.end()}, dy.data(on), to, columns);
    });
  });
}

}  // namespace xf
