#include "support/test.hpp"
#include "exercise.hpp"

using namespace xf;
using exercise::as_processes, exercise::columns_that_differ, exercise::given, exercise::Once,
    exercise::Ran;

namespace {

enum class Way { to_one_and_back, around_the_ring };

using Numbers = std::vector<float>;

// A process that has messages alone: how to add up with them is the exercise.
class OnlyMessages : public Endpoint {
 public:
  explicit OnlyMessages(Endpoint& self) : self_(self) {}
  int rank() const override { return self_.rank(); }
  int ranks() const override { return self_.ranks(); }
  std::string host(int rank) const override { return self_.host(rank); }
  void exchange(std::span<const Outgoing> out, std::span<const Incoming> in) override {
    self_.exchange(out, in);
  }
  void add_up(std::span<float>) override {
    throw std::logic_error("add_up() is what you write: use send, receive and exchange");
  }

 private:
  Endpoint& self_;
};

// What the processes have, n times `count` numbers, others in each run.
struct Rows {
  Way way;
  int n, count, run;
};
Tensor drawn(const Rows& rows) {
  const int seed = 10'000 * int(rows.way) + 200 * rows.n + rows.run;
  return exercise::random({rows.n, rows.count}, static_cast<std::uint64_t>(seed));
}

Ran own(const Rows& rows, Delivery delivery = Delivery::boxes) {
  return as_processes(
      rows.n, [&] { return drawn(rows); }, delivery,
      [&](Endpoint& process, std::span<float> numbers) {
        OnlyMessages self(process);
        (rows.way == Way::around_the_ring ? exercise::around_the_ring : exercise::to_one_and_back)(
            self, numbers);
      });
}

// The sum of all rows, in every row.
Tensor sums(const Tensor& x) {
  const int n = x.size(0), count = x.size(1);
  std::vector<float> all;
  for (int r = 0; r < n; ++r)
    for (int i = 0; i < count; ++i) {
      double sum = 0;
      for (int s = 0; s < n; ++s) sum += x.values()[s * count + i];
      all.push_back(static_cast<float>(sum));
    }
  return Tensor::from(x.shape(), all);
}

// 1 to 5, and one number more.
std::vector<int> ranks() { return {1, 2, 3, 4, 5, given(7, 6, 9)}; }

std::string sizes(int n, int usual) {
  return ", n = " + std::to_string(n) + ", N = " + std::to_string(usual);
}

void check_sum(Way way, int n, int usual, int count, Delivery delivery = Delivery::boxes) {
  const Rows rows{way, n, count, usual};
  COMPARE("the sum at every process" + sizes(n, usual), sums(drawn(rows)),
          own(rows, delivery).numbers);
}

Tensor number(int x) { return Tensor::full({1}, static_cast<float>(x)); }

// How many numbers each process has sent.
std::vector<int> counts_of(const Ran& ran) {
  std::vector<int> counts(std::size_t(ran.numbers.size(0)));
  for (const Letter& letter : ran.letters)
    counts[std::size_t(letter.from)] += int(letter.bytes / sizeof(float));
  return counts;
}

// Is a number sent that no process had at the beginning?
bool sends_sums(const Ran& ran) {
  Numbers beginning = ran.before.values();
  std::sort(beginning.begin(), beginning.end());
  for (const Numbers& sent : ran.sent)
    for (const float each : sent)
      if (!std::binary_search(beginning.begin(), beginning.end(), each)) return true;
  return false;
}

void check_sent(int n, int usual, int count) {
  const int most = 2 * (n - 1) * ((count + n - 1) / n);
  const int least = 2 * (n - 1) * count;  // each number n - 1 times until it is a sum, and back
  const Rows rows{Way::around_the_ring, n, count, 23};
  Once ran([&] { return own(rows); });
  const auto busiest = [&] {
    const std::vector<int> counts = counts_of(*ran);
    return std::max(most, *std::max_element(counts.begin(), counts.end()));
  };
  const auto all = [&] {
    const std::vector<int> counts = counts_of(*ran);
    return std::min(least, std::accumulate(counts.begin(), counts.end(), 0));
  };
  COMPARE("numbers that the busiest process may send" + sizes(n, usual), number(most),
          number(busiest()));
  // With two, each may send the other all it has. With more, that would be too much.
  if (n > 2)
    COMPARE("are sums sent on, not only the original numbers (1: yes)" + sizes(n, usual), number(1),
            number(sends_sums(*ran)));
  COMPARE("numbers that all must send in total" + sizes(n, usual), number(least), number(all()));
  COMPARE("the sum at every process of the same run" + sizes(n, usual), sums(drawn(rows)),
          ran->numbers);
}

}  // namespace

TEST_CASE("to one and back: the sum at every process") {
  for (int n : ranks()) check_sum(Way::to_one_and_back, n, 7, given(7, 7, 40));
  for (int n = 3; n <= 5; ++n) {
    const Rows rows{Way::to_one_and_back, n, 7, 17};
    Once ran([&] { return own(rows); });
    const auto elsewhere = [&] {
      int count = 0;
      for (const Letter& letter : ran->letters) count += letter.from != 0 && letter.to != 0;
      return number(count);
    };
    COMPARE("messages between two that are not process 0" + sizes(n, 7), number(0), elsewhere());
    COMPARE("the sum at every process of the same run" + sizes(n, 7), sums(drawn(rows)),
            ran->numbers);
  }
}

TEST_CASE("around the ring: parts of the same length") {
  for (int n : ranks()) check_sum(Way::around_the_ring, n, 3 * n, n * given(3));
}

TEST_CASE("around the ring: N is not a multiple of n, or is smaller") {
  for (int n : ranks()) {
    if (n == 1) continue;
    check_sum(Way::around_the_ring, n, 2 * n + 1, given(2 * n + 1, 2 * n + 1, 3 * n - 1));
    check_sum(Way::around_the_ring, n, n - 1, given(n - 1, 1, n - 1));
  }
}

TEST_CASE("around the ring: the same bits at every process") {
  for (int n = 2; n <= 5; ++n) {
    const Rows rows{Way::around_the_ring, n, given(200), 20};
    Once ran([&] { return own(rows); });
    COMPARE("sums that differ between processes" + sizes(n, 200), number(0),
            columns_that_differ(ran->numbers));
    COMPARE("the sum at every process of the same run" + sizes(n, 200), sums(drawn(rows)),
            ran->numbers);
  }
}

TEST_CASE("around the ring: what is sent") {
  for (int n : {2, 3, 4, 5, given(7, 6, 9)}) {
    check_sent(n, 23, given(23, 20, 30));
    check_sent(n, 200, given(200));
  }
}

TEST_CASE("a send that waits until the message is received") {
  for (int n = 1; n <= 5; ++n) {
    check_sum(Way::to_one_and_back, n, 6, given(6), Delivery::by_hand);
    check_sum(Way::around_the_ring, n, 8, given(8), Delivery::by_hand);
  }
}
