#include "support/test.hpp"
#include "exercise.hpp"

#include <set>

#include "support/watched.hpp"

using namespace xf;
using cuda::KernelCounts, exercise::checked, exercise::counts_of, exercise::given,
    exercise::in_orders, exercise::on_the_device, exercise::Once, exercise::OnDevice,
    exercise::total;

namespace {

using Numbers = std::vector<float>;

constexpr int orders = 3;

// A batch, the gradient of its rows, and what other uses of the table have added to its gradient.
struct Batch {
  std::vector<int> ids;
  int words, columns;
  Tensor dy, before;
};

Batch batch_of(std::vector<int> ids, int words, int columns) {
  const int count = int(ids.size());
  return {std::move(ids), words, columns, exercise::random({count, columns}, 381),
          exercise::random({words, columns}, 382)};
}

// Words that come again and again.
Batch several(int count, int words, int columns, std::uint64_t seed) {
  Random random(exercise::salted(seed));
  std::vector<int> ids;
  for (int i = 0; i < count; ++i) ids.push_back(random.below(words));
  return batch_of(std::move(ids), words, columns);
}

// Each of these words as often, in an order without a pattern, of a vocabulary with more.
Batch each(int different, int times, int words, int columns, std::uint64_t seed) {
  std::vector<int> all(static_cast<std::size_t>(words)), ids;
  std::iota(all.begin(), all.end(), 0);
  Random random(exercise::salted(seed));
  const auto shuffle = [&](std::vector<int>& list) {
    for (std::size_t i = list.size(); i > 1; --i)
      std::swap(list[i - 1], list[std::size_t(random.below(int(i)))]);
  };
  shuffle(all);
  for (int i = 0; i < different * times; ++i) ids.push_back(all[std::size_t(i % different)]);
  shuffle(ids);
  return batch_of(std::move(ids), words, columns);
}

Numbers own(const Batch& batch) {
  OnDevice dtable(batch.before.values()), dy(batch.dy.values());
  on_the_device(0, [&] {
    exercise::embedding_gradient(batch.ids, dy.data(), dtable.data(), batch.words, batch.columns);
  });
  return dtable.values();
}

Numbers sums(const Batch& batch) {
  const std::vector<float>& before = batch.before.values();
  const auto columns = std::size_t(batch.columns);
  std::vector<double> all(before.begin(), before.end());
  for (std::size_t i = 0; i < batch.ids.size(); ++i)
    for (std::size_t c = 0; c < columns; ++c)
      all[std::size_t(batch.ids[i]) * columns + c] += batch.dy.values()[i * columns + c];
  return {all.begin(), all.end()};
}

void check(const std::string& what, const Batch& batch) {
  COMPARE("dtable in three orders, " + what, in_orders(orders, sums(batch)),
          in_orders(orders, [&] { return own(batch); }));
}

Tensor table(const Batch& batch, const Numbers& dtable) {
  return Tensor::from({batch.words, batch.columns}, dtable);
}

Tensor number(long x) { return Tensor::full({1}, static_cast<float>(x)); }

// More than the bound counts as what it is, less as the bound: nobody has to waste anything.
Tensor at_least(long bound, long counted) { return number(std::max(bound, counted)); }

}  // namespace

TEST_CASE("no word occurs twice") {
  const int count = given(20);
  check("count = 20, words = 30, columns = 64",
        each(count, 1, count + given(10, 6, 36), given(64), 383));
}

TEST_CASE("words that occur several times") {
  check("count = 50, words = 12, columns = 40",
        several(given(50, 100, 400), given(12), given(40), 384));
  check("count = 9, words = 5, columns = 40", each(1, given(9, 9, 40), 5, 40, 385));
  // dy has more numbers than 16 bits count.
  check("count = 600, words = 20, columns = 128", several(given(600), 20, 128, 392));
}

TEST_CASE("rows that are longer than a block") {
  check("count = 30, words = 8, columns = 200", several(given(30), 8, given(200, 300, 400), 386));
}

TEST_CASE("no thread changes a number that another thread is using") {
  const Batch batch = several(given(60, 50, 70), given(10, 8, 12), 40, 387);
  COMPARE("dtable, every access checked, count = 60, words = 10", table(batch, sums(batch)),
          table(batch, checked([&] { return own(batch); })));
}

TEST_CASE("the same bits in every order") {
  const Batch batch = several(given(300), 10, 32, 388);
  const auto different = [&] {
    std::set<Numbers> found;
    in_orders(12, [&] {
      found.insert(own(batch));
      return Numbers();
    });
    return number(long(found.size()));
  };
  COMPARE("different dtables in 12 orders", number(1), different());
}

TEST_CASE("only rows of dy and of the words that occur are accessed") {
  const int different = given(40, 36, 44), times = given(6, 5, 7);
  const Batch batch = each(different, times, 600, 128, 389);
  // A row has four segments; dy is read, dtable read and written. Twice as many for the lists.
  const long most = 3L * 4 * different * (times + 2);
  Once run([&] { return counts_of([&] { return own(batch); }); });
  COMPARE("transactions, count = 240, words = 600, columns = 128", number(most),
          at_least(most, total(run->counts, &KernelCounts::transactions)));
  COMPARE("dtable of the same run, count = 240, words = 600, columns = 128",
          table(batch, sums(batch)), table(batch, run->result));
}

TEST_CASE("the words are shared out over the blocks") {
  const Batch batch = each(64, exercise::within(4, 3, 4), 100, 128, 390);
  Once run([&] { return exercise::most_reads([&] { return own(batch); }); });
  COMPARE("numbers that the busiest thread of a kernel reads, count = 256, words = 100", number(32),
          at_least(32, run->device));
  COMPARE("dtable of the same run, count = 256, words = 100", table(batch, sums(batch)),
          table(batch, run->result));
}

TEST_CASE("two kernels at most, and nothing on the host") {
  const Batch batch = several(100, given(20), 40, 391);
  Once run([&] { return counts_of([&] { return own(batch); }); });
  COMPARE("kernels, count = 100, words = 20", number(2),
          at_least(2, total(run->counts, &KernelCounts::launches)));
  COMPARE("dtable of the same run, count = 100, words = 20", table(batch, sums(batch)),
          table(batch, run->result));
}
