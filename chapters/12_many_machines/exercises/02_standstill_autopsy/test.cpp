#include "support/test.hpp"
#include "exercise.hpp"

using namespace xf;
using exercise::as_processes, exercise::given, exercise::Once, exercise::Ran, exercise::random;

namespace {

using Losses = std::vector<float>;

// n models, of which the best has rank low to high, `usual` in a try; or as chance has it, where
// that is -1. They are others in each run: a process knows its own alone.
struct Models {
  int n, usual, low, high;
  bool equally;  // the last one is as good
  int run;
};

std::uint64_t seed(const Models& of) { return std::uint64_t(1000 + 100 * of.n + 2 * of.run); }

// A row a model: its loss, and its weights. The best one's loss is by 0.001 to 2 smaller than that
// of the second best, often by less than 0.05; none knows of its own loss whether that is small.
Tensor rows(const Models& of) {
  std::vector<float> losses = random({of.n}, seed(of)).values();
  for (float& loss : losses) loss = std::abs(loss);
  Random source(exercise::salted(seed(of) + 51));
  const double gap = 0.001 * std::pow(2000, source.uniform());
  const float smallest = *std::min_element(losses.begin(), losses.end()) - float(gap);
  if (of.usual >= 0) {
    const int ranks = of.high - of.low + 1;
    const int drawn = exercise::order(ranks, seed(of)).at(0);
    losses.at(std::size_t(of.low + (of.usual - of.low + drawn) % ranks)) = smallest;
  }
  if (of.equally) losses.back() = smallest;
  const float shift = 10 * random({1}, seed(of) + 50).item();
  for (float& loss : losses) loss += shift;
  return concat(Tensor::from({of.n, 1}, losses), random({of.n, given(3, 3, 30)}, seed(of) + 1), 1);
}

// Of a process: the rank that it takes for the best.
Ran own(const Models& of, Delivery delivery = Delivery::boxes) {
  return as_processes(
      of.n, [&] { return rows(of); }, delivery,
      [&](Endpoint& self, std::span<float> row) {
        return exercise::take_best(self, row[0], row.subspan(1));
      });
}

Tensor said(const Ran& ran) { return Tensor::from({int(ran.returned.size())}, ran.returned); }

Tensor weights(const Tensor& rows) { return slice(rows, 1, 1, rows.size(1) - 1); }

int best_of(const Tensor& rows) {
  const Losses losses = slice(rows, 1, 0, 1).values();
  return int(std::min_element(losses.begin(), losses.end()) - losses.begin());
}

Tensor weights_of_best(const Tensor& rows) {
  const Tensor best = slice(weights(rows), 0, best_of(rows), 1);
  Tensor all = best;
  for (int r = 1; r < rows.size(0); ++r) all = concat(all, best, 0);
  return all;
}

void check(const std::string& what, const Models& of, Delivery delivery = Delivery::boxes) {
  Once ran([&] { return own(of, delivery); });
  COMPARE("the best, as each process says, " + what,
          Tensor::full({of.n}, static_cast<float>(best_of(rows(of)))), said(*ran));
  COMPARE("w at each process, " + what, weights_of_best(rows(of)), weights(ran->numbers));
}

std::string processes(int n) { return std::to_string(n) + " processes"; }

// How many times w was sent: by all, and by the best one.
Tensor times_sent(const Ran& ran) {
  const std::size_t bytes = std::size_t(weights(ran.before).size(1)) * sizeof(float);
  int all = 0, by_best = 0;
  for (const Letter& letter : ran.letters) {
    all += letter.bytes >= bytes;  // also with something beside it
    by_best += letter.bytes >= bytes && letter.from == best_of(ran.before);
  }
  return Tensor::from({2}, {float(all), float(by_best)});
}

}  // namespace

TEST_CASE("a single process") { check("1 process", {1, -1, 0, 0, false, 0}); }

TEST_CASE("2 and 4 processes") {
  check(processes(2), {2, 1, 0, 1, false, 1});
  check(processes(4), {4, 2, 0, 3, false, 1});
}

TEST_CASE("3 and 5 processes") {
  check(processes(3), {3, 1, 0, 2, false, 1});
  check(processes(5), {5, 3, 0, 4, false, 1});
  const int more = given(7, 6, 9);
  check(processes(more), {more, 3, 0, more - 1, false, 1});
}

TEST_CASE("two are equally good") {
  for (int n = 2; n <= 5; ++n) check(processes(n), {n, 0, 0, n - 2, true, 2});
}

TEST_CASE("a send that waits until the message is received") {
  for (int n : {1, 2, 3, 4, 5, given(7, 6, 9)})
    check(processes(n), {n, n / 2, 0, n - 1, false, 3}, Delivery::by_hand);
}

TEST_CASE("w is sent down a tree, n - 1 times in all, log2 n by the best") {
  for (int n : {2, 3, 4, 5, given(7, 6, 9)}) {
    const Models of{n, n - 1, 0, n - 1, false, 4};
    Once ran([&] { return own(of); });
    const auto tree = [&] {
      return Tensor::from({2}, {float(n - 1), std::ceil(std::log2(float(n)))});
    };
    COMPARE("how often w is sent, by all and by the best, " + processes(n), tree(),
            times_sent(*ran));
    COMPARE("w at each process of the same run, " + processes(n), weights_of_best(rows(of)),
            weights(ran->numbers));
  }
}
