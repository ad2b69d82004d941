#include "support/test.hpp"
#include "exercise.hpp"

using namespace xf;
using exercise::as_processes, exercise::columns_that_differ, exercise::given, exercise::Ran;

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
  void add_up(std::span<float>, const std::function<void()>&) override {
    throw std::logic_error("add_up() is what you write: use send, receive and exchange");
  }

 private:
  Endpoint& self_;
};

Ran own(Way way, const Tensor& x, Delivery delivery = Delivery::boxes) {
  return as_processes(x, delivery, [&](Endpoint& process, std::span<float> numbers) {
    OnlyMessages self(process);
    (way == Way::around_the_ring ? exercise::around_the_ring : exercise::to_one_and_back)(self,
                                                                                          numbers);
  });
}

Tensor numbers(int n, int count) {
  return exercise::random({n, count}, static_cast<std::uint64_t>(350 + n));
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

std::string sizes(int n, int usual) {
  return ", n = " + std::to_string(n) + ", N = " + std::to_string(usual);
}

void check_sum(Way way, int n, int usual, int count, Delivery delivery = Delivery::boxes) {
  const Tensor x = numbers(n, count);
  COMPARE("the sum at every process" + sizes(n, usual), sums(x), own(way, x, delivery).numbers);
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
bool sends_sums(const Ran& ran, const Tensor& x) {
  Numbers beginning = x.values();
  std::sort(beginning.begin(), beginning.end());
  for (const Numbers& sent : ran.sent)
    for (const float each : sent)
      if (!std::binary_search(beginning.begin(), beginning.end(), each)) return true;
  return false;
}

}  // namespace

TEST_CASE("to one and back: the sum at every process") {
  for (int n = 1; n <= 5; ++n) check_sum(Way::to_one_and_back, n, 7, given(7));
  for (int n = 3; n <= 5; ++n) {
    const auto elsewhere = [&] {
      int count = 0;
      for (const Letter& letter : own(Way::to_one_and_back, numbers(n, 7)).letters)
        count += letter.from != 0 && letter.to != 0;
      return number(count);
    };
    COMPARE("messages between two that are not process 0" + sizes(n, 7), number(0), elsewhere());
  }
}

TEST_CASE("around the ring: parts of the same length") {
  for (int n = 1; n <= 5; ++n) check_sum(Way::around_the_ring, n, 3 * n, n * given(3));
}

TEST_CASE("around the ring: N is no multiple of n, or smaller") {
  for (int n = 2; n <= 5; ++n) {
    check_sum(Way::around_the_ring, n, 2 * n + 1, given(2 * n + 1, 2 * n + 1, 3 * n - 1));
    check_sum(Way::around_the_ring, n, n - 1, given(n - 1, 1, n - 1));
  }
}

TEST_CASE("around the ring: the same bits at every process") {
  for (int n = 2; n <= 5; ++n) {
    const Tensor x = numbers(n, given(200));
    COMPARE("sums that differ between processes" + sizes(n, 200), number(0),
            columns_that_differ(own(Way::around_the_ring, x).numbers));
  }
}

TEST_CASE("around the ring: what is sent") {
  for (int n = 2; n <= 5; ++n) {
    const int count = given(23, 20, 30), most = 2 * (n - 1) * ((count + n - 1) / n);
    const int least = 2 * (n - 1) * count;  // each number n - 1 times until it is a sum, and back
    const Tensor x = numbers(n, count);
    const auto busiest = [&] {
      const std::vector<int> counts = counts_of(own(Way::around_the_ring, x));
      return std::max(most, *std::max_element(counts.begin(), counts.end()));
    };
    const auto all = [&] {
      const std::vector<int> counts = counts_of(own(Way::around_the_ring, x));
      return std::min(least, std::accumulate(counts.begin(), counts.end(), 0));
    };
    COMPARE("numbers that the busiest process may send" + sizes(n, 23), number(most),
            number(busiest()));
    // With two, each may send the other all it has. With more, that would be too much.
    if (n > 2)
      COMPARE("is a sum sent on, and not only what each had (1: yes)" + sizes(n, 23), number(1),
              number(sends_sums(own(Way::around_the_ring, x), x)));
    COMPARE("numbers that all must send together" + sizes(n, 23), number(least), number(all()));
  }
}

TEST_CASE("messages that wait until they are asked for") {
  for (int n = 1; n <= 5; ++n) {
    check_sum(Way::to_one_and_back, n, 6, given(6), Delivery::by_hand);
    check_sum(Way::around_the_ring, n, 8, given(8), Delivery::by_hand);
  }
}
