#include <doctest/doctest.h>

#include <atomic>
#include <map>
#include <string>

#include "distributed/collectives.hpp"
#include "distributed/mailboxes.hpp"
#include "distributed/neighbours.hpp"
#include "distributed/processes.hpp"
#include "distributed/shared_work.hpp"

namespace xf::test {

namespace {

// Which numbers were added to which, as text: "((0+1)+2)". An empty slot is not at hand.
std::vector<std::string> added(std::vector<std::string> slots, int first, int last) {
  std::vector<std::string*> places;
  for (std::string& slot : slots) places.push_back(slot.empty() ? nullptr : &slot);
  add_neighbours(std::span(places), first, last, [](std::string* sum, const std::string* x) {
    *sum = "(" + *sum + "+" + *x + ")";
  });
  std::vector<std::string> left;
  for (const std::string* place : places) left.push_back(place ? *place : "");
  return left;
}

std::vector<float> numbers_of_process(int rank, int count) {
  std::vector<float> x(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) x[static_cast<std::size_t>(i)] = float(rank * 100 + i);
  return x;
}

using AddUp = int (*)(Endpoint&, std::span<float>);

}  // namespace

TEST_CASE("shards are added as neighbours, whoever has computed them") {
  const auto all = [](const char* text) { return std::string(text); };
  CHECK(added({"0", "1", "2", "3", "4", "5", "6"}, 0, 7)[0] == all("(((0+1)+(2+3))+((4+5)+6))"));
  CHECK(added({"0"}, 0, 1)[0] == "0");
  CHECK(added({"", "1", "", "3"}, 0, 4)[0] == "(1+3)");  // a gradient that some shards lack

  // Every cut of 7 shards among 3 processes: what each can add is part of the same tree.
  const std::string whole = added({"0", "1", "2", "3", "4", "5", "6"}, 0, 7)[0];
  for (int a = 0; a <= 7; ++a)
    for (int b = a; b <= 7; ++b) {
      const int cuts[] = {0, a, b, 7};
      std::vector<std::string> together(7);
      for (int process = 0; process < 3; ++process) {
        std::vector<std::string> own(7);
        for (int shard = cuts[process]; shard < cuts[process + 1]; ++shard)
          own[static_cast<std::size_t>(shard)] = std::to_string(shard);
        own = added(own, cuts[process], cuts[process + 1]);
        for (std::size_t i = 0; i < 7; ++i)
          if (!own[i].empty()) together[i] = own[i];
      }
      CAPTURE(a);
      CAPTURE(b);
      CHECK(added(together, 0, 7)[0] == whole);
    }
}

TEST_CASE("adding up: a tree, recursive doubling and a ring give all the same sum") {
  struct Way {
    std::string name;
    AddUp add_up;
  };
  for (const Way& way :
       {Way{"tree", add_up_tree}, Way{"doubling", add_up_doubling}, Way{"ring", add_up_ring}})
    for (const int ranks : {1, 2, 3, 4, 5, 8})
      for (const int count : {0, 1, 3, 12}) {
        CAPTURE(way.name);
        CAPTURE(ranks);
        CAPTURE(count);
        std::vector<std::vector<float>> got(static_cast<std::size_t>(ranks));
        std::atomic<int> steps = 0;
        run_threads_as_processes(ranks, [&](Endpoint& self) {
          std::vector<float> x = numbers_of_process(self.rank(), count);
          const int taken = way.add_up(self, x);
          if (self.rank() == 0) steps = taken;
          got[static_cast<std::size_t>(self.rank())] = x;
        });
        std::vector<float> want(static_cast<std::size_t>(count));
        for (int i = 0; i < count; ++i)
          want[static_cast<std::size_t>(i)] = float(100 * ranks * (ranks - 1) / 2 + ranks * i);
        for (const std::vector<float>& x : got) CHECK(x == want);
        int log = 0;
        while ((1 << log) < ranks) ++log;
        const bool power = (1 << log) == ranks;
        if (way.name == "tree") CHECK(steps == 2 * log);
        if (way.name == "doubling") CHECK(steps == (power ? log : log - 1 + 2));
        if (way.name == "ring") CHECK(steps == 2 * (ranks - 1));
      }
}

TEST_CASE("adding up: what a process sends, in numbers") {
  constexpr int ranks = 4, count = 12;
  const auto max_sent = [&](AddUp add_up) {
    std::map<int, std::size_t> bytes;
    for (const Letter& letter : run_threads_as_processes(ranks, [&](Endpoint& self) {
           std::vector<float> x = numbers_of_process(self.rank(), count);
           add_up(self, x);
         }))
      bytes[letter.from] += letter.bytes;
    std::size_t most = 0;
    for (const auto& [from, sent] : bytes) most = std::max(most, sent);
    return most / sizeof(float);
  };
  CHECK(max_sent(add_up_doubling) == 2 * count);
  CHECK(max_sent(add_up_ring) == 2 * 3 * count / 4);
  CHECK(max_sent(add_up_tree) == 2 * count);  // process 0, and 2, which passes both on
}

TEST_CASE("collectives: bytes of all, numbers of one, and ranges of each") {
  for (const int ranks : {1, 2, 3, 5})
    run_threads_as_processes(ranks, [&](Endpoint& self) {
      const std::string own(static_cast<std::size_t>(3 * self.rank()), char('a' + self.rank()));
      const std::vector<std::string> all = bytes_of_all(self, own);
      for (int rank = 0; rank < ranks; ++rank)
        CHECK(all[static_cast<std::size_t>(rank)] ==
              std::string(static_cast<std::size_t>(3 * rank), char('a' + rank)));
      for (int root = 0; root < ranks; ++root) {
        std::vector<float> x = numbers_of_process(self.rank(), 4);
        numbers_of(self, root, x);
        CHECK(x == numbers_of_process(root, 4));
        CHECK(bytes_of(self, root, own) == all[static_cast<std::size_t>(root)]);
      }
      std::vector<float> numbers(7, -1);
      std::vector<Range> ranges;
      for (int rank = 0; rank < ranks; ++rank) ranges.push_back(share_of(7, rank, ranks));
      const Range& mine = ranges[static_cast<std::size_t>(self.rank())];
      for (std::ptrdiff_t i = mine.first; i < mine.last; ++i)
        numbers[static_cast<std::size_t>(i)] = float(i);
      gather_ranges(self, numbers, ranges);
      for (std::size_t i = 0; i < numbers.size(); ++i) CHECK(numbers[i] == float(i));
    });
}

TEST_CASE("shared work: a process alone does all of it, in order; no work is no error") {
  CHECK(share_numbers(0, [](int) { return std::vector<double>{}; }).empty());
  const auto squares = share_numbers(5, [](int i) { return std::vector<double>{double(i * i)}; });
  for (int i = 0; i < 5; ++i) CHECK(squares[static_cast<std::size_t>(i)][0] == i * i);
  const auto texts =
      share_texts(3, [](int i) { return std::vector<std::string>(std::size_t(i), "x"); });
  CHECK(texts[2] == std::vector<std::string>{"x", "x"});
  CHECK(!several_processes());
  CHECK(first_process());
  CHECK(in_any(true));
  CHECK(of_first(std::string("a")) == "a");
}

TEST_CASE("shares cover everything once, and differ by one at most") {
  for (const int n : {0, 1, 5, 12})
    for (const int ranks : {1, 2, 3, 7}) {
      std::ptrdiff_t next = 0;
      for (int rank = 0; rank < ranks; ++rank) {
        const Range share = share_of(n, rank, ranks);
        CHECK(share.first == next);
        CHECK(share.size() >= n / ranks);
        CHECK(share.size() <= n / ranks + 1);
        next = share.last;
      }
      CHECK(next == n);
    }
}

}  // namespace xf::test
