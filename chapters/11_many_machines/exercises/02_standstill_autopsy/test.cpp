#include "support/test.hpp"
#include "exercise.hpp"

using namespace xf;
using exercise::as_processes, exercise::given, exercise::Ran;

namespace {

using Losses = std::vector<float>;

// Of a process: the rank that it takes for the best.
Ran own(const Losses& losses, const Tensor& weights, Delivery delivery) {
  return as_processes(weights, delivery, [&](Endpoint& self, std::span<float> w) {
    return exercise::take_best(self, losses[std::size_t(self.rank())], w);
  });
}

Tensor said(const Ran& ran) { return Tensor::from({int(ran.returned.size())}, ran.returned); }

int best_of(const Losses& losses) {
  return int(std::min_element(losses.begin(), losses.end()) - losses.begin());
}

Tensor weights_of_best(const Losses& losses, const Tensor& weights) {
  const int n = weights.size(0), count = weights.size(1), best = best_of(losses);
  std::vector<float> all;
  for (int r = 0; r < n; ++r)
    for (int i = 0; i < count; ++i) all.push_back(weights.values()[best * count + i]);
  return Tensor::from(weights.shape(), all);
}

Tensor weights_of(int n) {
  return exercise::random({n, given(3)}, static_cast<std::uint64_t>(360 + n));
}

// Losses above 2, but for 0.5 + rank / 8 at some: the first of those is the best.
Losses losses_of(int n, const std::vector<int>& good, bool equally = false) {
  const Tensor drawn = exercise::random({n}, static_cast<std::uint64_t>(370 + n));
  Losses losses;
  for (float x : drawn.values()) losses.push_back(2 + std::abs(x));
  for (int rank : good) losses[std::size_t(rank)] = 0.5f + (equally ? 0 : float(rank) / 8);
  return losses;
}

void check(const std::string& what, const Losses& losses, Delivery delivery = Delivery::boxes) {
  const int n = int(losses.size());
  const Tensor w = weights_of(n);
  COMPARE("the best, as each process says, " + what,
          Tensor::full({n}, static_cast<float>(best_of(losses))), said(own(losses, w, delivery)));
  COMPARE("w at each process, " + what, weights_of_best(losses, w),
          own(losses, w, delivery).numbers);
}

std::string processes(int n) { return std::to_string(n) + " processes"; }

// How many times w was sent: by all, and by the best one.
Tensor times_sent(const Losses& losses) {
  const Tensor w = weights_of(int(losses.size()));
  const std::size_t bytes = std::size_t(w.size(1)) * sizeof(float);
  int all = 0, by_best = 0;
  for (const Letter& letter : own(losses, w, Delivery::boxes).letters) {
    all += letter.bytes >= bytes;  // also with something beside it
    by_best += letter.bytes >= bytes && letter.from == best_of(losses);
  }
  return Tensor::from({2}, {float(all), float(by_best)});
}

}  // namespace

TEST_CASE("a process alone") { check("1 process", losses_of(1, {})); }

TEST_CASE("2 and 4 processes") {
  check(processes(2), losses_of(2, {given(1, 0, 1)}));
  check(processes(4), losses_of(4, {given(2, 0, 3)}));
}

TEST_CASE("3 and 5 processes") {
  check(processes(3), losses_of(3, {given(1, 0, 2)}));
  check(processes(5), losses_of(5, {given(3, 0, 4)}));
}

TEST_CASE("two are equally good") {
  for (int n = 2; n <= 5; ++n) check(processes(n), losses_of(n, {given(0, 0, n - 2), n - 1}, true));
}

TEST_CASE("messages that wait until they are asked for") {
  for (int n = 1; n <= 5; ++n)
    check(processes(n), losses_of(n, {given(n / 2, 0, n - 1)}), Delivery::by_hand);
}

TEST_CASE("w goes down a tree: n - 1 times, log2 n times from the best") {
  for (int n = 2; n <= 5; ++n) {
    const Losses losses = losses_of(n, {given(n - 1, 0, n - 1)});
    const auto tree = [&] {
      return Tensor::from({2}, {float(n - 1), n == 2 ? 1.f : n == 5 ? 3.f : 2.f});
    };
    COMPARE("how often w is sent, by all and by the best, " + processes(n), tree(),
            times_sent(losses));
  }
}
