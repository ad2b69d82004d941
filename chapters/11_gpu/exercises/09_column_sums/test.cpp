#include "support/test.hpp"
#include "exercise.hpp"

#include <set>

#include "support/watched.hpp"

using namespace xf;
using cuda::KernelCounts, exercise::checked, exercise::counts_of, exercise::given, exercise::groups,
    exercise::in_orders, exercise::on_the_device, exercise::Once, exercise::OnDevice,
    exercise::stretch, exercise::total;

namespace {

using Numbers = std::vector<float>;

constexpr int orders = 3;

Numbers own(const Tensor& dy) {
  const int rows = dy.size(0), columns = dy.size(1);
  OnDevice from(dy.values());
  cuda::Buffer<float> to(static_cast<std::size_t>(columns));
  on_the_device(0, [&] { exercise::bias_gradient(from.data(), to.data(), rows, columns); });
  return to.values();
}

Numbers sums(const Tensor& dy) {
  const auto columns = std::size_t(dy.size(1));
  std::vector<double> of_column(columns);
  for (std::size_t i = 0; i < dy.values().size(); ++i) of_column[i % columns] += dy.values()[i];
  return {of_column.begin(), of_column.end()};
}

void check(const std::string& what, int rows, int columns, float deviation = 1) {
  const Tensor dy = exercise::random({rows, columns}, 371, deviation);
  COMPARE("db in three orders, " + what, in_orders(orders, sums(dy)),
          in_orders(orders, [&] { return own(dy); }));
}

Tensor tensor(const Numbers& db) { return Tensor::from({int(db.size())}, db); }

Tensor number(long x) { return Tensor::full({1}, static_cast<float>(x)); }

// More than the bound counts as what it is, less as the bound: nobody has to waste anything.
Tensor at_least(long bound, long counted) { return number(std::max(bound, counted)); }

}  // namespace

TEST_CASE("no thread reads what is not yet written or is being written") {
  const int rows = given(150, 130, 190), columns = given(40, 33, 63);
  const Tensor dy = exercise::random({rows, columns}, 372);
  COMPARE("db, every access checked, 150 x 40", tensor(sums(dy)),
          tensor(checked([&] { return own(dy); })));
}

TEST_CASE("one block: 64 rows of 32 columns") { check("64 x 32", 64, 32); }

TEST_CASE("several stretches of rows") { check("256 x 32", 64 * given(4, 13, 30), 32); }

TEST_CASE("more columns than a block has lanes") {
  check("64 x 96", 64, 32 * given(3));
  check("128 x 45", 128, given(45));
}

TEST_CASE("a last stretch that is not full") {
  check("150 x 40", given(150), given(40));
  check("67 x 5", given(67), given(5));
  check("67 x 5, where dy is 0", given(67), given(5), 0);
}

TEST_CASE("few rows") {
  check("3 x 40", given(3, 2, 7), 40);
  check("1 x 1", 1, 1);
}

TEST_CASE("the same bits in every order") {
  const Tensor dy = exercise::random({given(700), 40}, 373);
  const auto different = [&] {
    std::set<Numbers> found;
    in_orders(12, [&] {
      found.insert(own(dy));
      return Numbers();
    });
    return number(long(found.size()));
  };
  COMPARE("different db in 12 orders", number(1), different());
}

TEST_CASE("a warp reads whole segments of 128 bytes, and each number once") {
  const int stretches = given(4, 3, 5), columns = 32 * given(2, 2, 3);
  const int rows = stretches * stretch;
  const Tensor dy = exercise::random({rows, columns}, 374);
  // dy is read, the sums of the stretches are written and read, and db is written.
  const long least = long(rows + 2 * stretches + 1) * columns / 32;
  Once run([&] { return counts_of([&] { return own(dy); }); });
  const auto transactions = [&] {
    return total(run->counts, &KernelCounts::transactions) +
           total(run->counts, &KernelCounts::device_atomics);
  };
  COMPARE("transactions, 256 x 64", number(least), at_least(least, transactions()));
  COMPARE("db of the same run, 256 x 64", tensor(sums(dy)), tensor(run->result));
}

TEST_CASE("no thread has a whole column to itself") {
  const int rows = given(512, 449, 512);
  const Tensor dy = exercise::random({rows, given(32, 24, 40)}, 375);
  // In the first kernel the rows of its group, in the second one number of each stretch.
  const long most = std::max(stretch / groups, (rows + stretch - 1) / stretch);
  Once run([&] { return exercise::most_reads([&] { return own(dy); }); });
  COMPARE("numbers that the busiest thread of a kernel reads, 512 x 32", number(most),
          at_least(most, run->device));
  COMPARE("numbers that the busiest thread of a kernel reads from shared memory, 512 x 32",
          number(16), at_least(16, run->shared));
  COMPARE("db of the same run, 512 x 32", tensor(sums(dy)), tensor(run->result));
}

TEST_CASE("two kernels, and nothing on the host") {
  const Tensor dy = exercise::random({given(300), 40}, 376);
  Once run([&] { return counts_of([&] { return own(dy); }); });
  COMPARE("kernels, 300 x 40", number(2), number(total(run->counts, &KernelCounts::launches)));
  COMPARE("db of the same run, 300 x 40", tensor(sums(dy)), tensor(run->result));
}
