#include "support/test.hpp"
#include "exercise.hpp"

#include "ops/shape/shape_ops.hpp"
#include "support/watched.hpp"

using namespace xf;
using exercise::block_rows, exercise::checked, exercise::counts_of, exercise::given,
    exercise::in_orders, exercise::Once, exercise::OnDevice, exercise::tile, exercise::within;

namespace {

using Numbers = std::vector<float>;

// About a third of the numbers is 0: a number like others, which is to be written.
Tensor with_zeros(const Tensor& x) {
  Tensor y = x.clone();
  replace_each(y, [](float each) { return std::abs(each) < 0.4f ? 0 : each; });
  return y;
}

Numbers own(const Tensor& x) {
  const int rows = x.size(0), columns = x.size(1);
  OnDevice from(x.values());
  cuda::Buffer<float> to(x.values().size());
  const xf::dim3 grid(cuda::blocks_for(columns, tile), cuda::blocks_for(rows, tile));
  cuda::launch({"transpose", grid, xf::dim3(tile, block_rows)}, exercise::transpose, from.data(),
               to.data(), rows, columns);
  return to.values();
}

Numbers transposed(const Tensor& x) {
  Numbers y;
  for (int j = 0; j < x.size(1); ++j)
    for (int i = 0; i < x.size(0); ++i) y.push_back(x.values()[std::size_t(i * x.size(1) + j)]);
  return y;
}

void check(const std::string& what, int rows, int columns, int orders = 3) {
  const Tensor x = with_zeros(exercise::random({rows, columns}, 341));
  const std::string times = orders > 1 ? " in three orders" : "";
  COMPARE("y" + times + ", " + what, in_orders(orders, transposed(x)),
          in_orders(orders, [&] { return own(x); }));
}

Tensor number(long x) { return Tensor::full({1}, static_cast<float>(x)); }

// More than the bound counts as what it is, less as the bound: nobody has to waste anything.
Tensor at_least(long bound, long counted) { return number(std::max(bound, counted)); }

// What is counted in a run whose y is compared, too. In whole tiles a row is one segment, else it
// may begin within one.
template <std::invocable<const cuda::KernelCounts&> Count>
void check_counts(const std::string& what, long most_a_row, const Count& count) {
  const auto check_one = [&](const std::string& sizes, int rows, int columns, long a_row) {
    const Tensor x = exercise::random({rows, columns}, 343);
    const long most =
        2L * a_row * tile * cuda::blocks_for(rows, tile) * cuda::blocks_for(columns, tile);
    const auto y = [&](const Numbers& numbers) { return Tensor::from({columns, rows}, numbers); };
    Once run([&] { return counts_of([&] { return own(x); }); });
    COMPARE(what + " for " + sizes, number(most), at_least(most, count(run->of("transpose"))));
    COMPARE("y of the same run, " + sizes, y(transposed(x)), y(run->result));
  };
  check_one("64 x 96 numbers", 32 * given(2, 2, 3), 32 * within(3, 3, 4), most_a_row);
  check_one("45 x 70 numbers", given(45), given(70), 2 * most_a_row);
}

}  // namespace

TEST_CASE("no thread reads what is not yet written or is being written") {
  const int rows = given(40, 33, 63), columns = given(70, 65, 90);
  const Tensor x = exercise::random({rows, columns}, 342);
  COMPARE("y of 40 x 70 numbers, every access checked",
          Tensor::from({columns, rows}, transposed(x)),
          Tensor::from({columns, rows}, checked([&] { return own(x); })));
}

TEST_CASE("one tile") { check("32 x 32 numbers", 32, 32); }

TEST_CASE("several blocks") {
  check("64 x 96 numbers", 32 * within(2, 2, 3), 32 * within(3, 3, 4));
  // More numbers than 16 bits count.
  check("260 x 260 numbers", within(260, 257, 262), within(260, 257, 264), 1);
}

TEST_CASE("matrices that tiles do not fill exactly") {
  check("45 x 70 numbers", given(45), given(70));
  check("33 x 1 numbers", given(33), 1);
  check("1 x 40 numbers", 1, given(40));
}

TEST_CASE("a warp reads and writes whole segments of 128 bytes") {
  check_counts("transactions", 1, [](const cuda::KernelCounts& counts) {
    return counts.transactions + counts.device_atomics;  // each of these is one of its own
  });
}

TEST_CASE("no two lanes access different words of one bank") {
  check_counts("bank conflicts", 0,
               [](const cuda::KernelCounts& counts) { return counts.conflicts; });
}
