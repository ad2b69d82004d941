#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <random>
#include <thread>

#include "distributed/mailboxes.hpp"
#include "support/threads.hpp"
#include "tensor/random.hpp"
#include "train/exchange/shared_gradients.hpp"

namespace xf::test {

namespace {

// An endpoint whose messages are late, by another time each.
class Late : public Endpoint {
 public:
  Late(Endpoint& self, unsigned seed)
      : self_(self), random_(seed * 100 + static_cast<unsigned>(self.rank())) {}

  int rank() const override { return self_.rank(); }
  int ranks() const override { return self_.ranks(); }
  std::string host(int rank) const override { return self_.host(rank); }
  void exchange(std::span<const Outgoing> out, std::span<const Incoming> in) override {
    std::vector<Outgoing> shuffled(out.begin(), out.end());  // to each in order, but among them
    std::stable_sort(shuffled.begin(), shuffled.end(),
                     [turn = static_cast<int>(random_() % 4)](const auto& a, const auto& b) {
                       return (a.to + turn) % 4 < (b.to + turn) % 4;
                     });
    for (const Outgoing& one : shuffled) {
      std::this_thread::sleep_for(std::chrono::microseconds(random_() % 300));
      self_.exchange(std::span(&one, 1), {});
    }
    self_.exchange({}, in);
  }
  void add_up(std::span<float> x) override { self_.add_up(x); }

 private:
  Endpoint& self_;
  std::mt19937 random_;
};

constexpr int shards = 4;
const std::vector<std::ptrdiff_t> counts{5, 70000, 1, 33};  // the second of three stretches

// Of parameter p in a shard; shard 2 has none of parameter 3.
Tensor gradient(std::size_t p, int shard) {
  if (p == 3 && shard == 2) return {};
  Random random(static_cast<std::uint64_t>(shard) * 10 + p);
  Tensor numbers = Tensor::empty({static_cast<int>(counts[p])}, Device::cpu);
  replace_each(numbers, [&](float) { return random.normal(); });
  return numbers;
}

struct Sums {
  std::vector<float> row;
  std::vector<double> squares;
};

Sums sums_at(Endpoint& self) {
  const Range own = share_of(shards, self.rank(), self.ranks());
  ShardGradients gradients(counts.size());
  for (std::size_t p = 0; p < counts.size(); ++p)
    for (auto shard = own.first; shard < own.last; ++shard)
      gradients[p].push_back(gradient(p, static_cast<int>(shard)));
  SharedGradients shared(counts, self);
  Sums sums;
  sums.squares = shared.add_up(gradients);
  shared.gather();
  sums.row.assign(shared.row().begin(), shared.row().end());
  return sums;
}

}  // namespace

TEST_CASE("gradients of several processes: the same bits in whatever order messages arrive") {
  const Threads one(1);  // the processes are threads
  Alone alone;
  const Sums want = sums_at(alone);
  for (std::size_t i = 0; i < 5; ++i) {  // ((0 + 1) + (2 + 3))
    const auto of = [&](int shard) { return gradient(0, shard).values()[std::ptrdiff_t(i)]; };
    CHECK(want.row[i] == (of(0) + of(1)) + (of(2) + of(3)));
  }
  for (const int ranks : {2, 3, 4})
    for (unsigned seed = 0; seed < 20; ++seed) {
      CAPTURE(ranks);
      CAPTURE(seed);
      run_threads_as_processes(ranks, [&](Endpoint& self) {
        Late late(self, seed);
        const Sums got = sums_at(late);
        CHECK(got.squares == want.squares);
        CHECK(got.row == want.row);
      });
    }
}

}  // namespace xf::test
