#include "distributed/collectives.hpp"

#include <bit>
#include <cstdint>

namespace xf {

namespace {

void add(std::span<float> sum, std::span<const float> x) {
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += x[i];
}

std::span<float> part(std::span<float> x, const Range& range) {
  return x.subspan(static_cast<std::size_t>(range.first), static_cast<std::size_t>(range.size()));
}

// Two processes exchange all of x and add what they receive. Their sums agree: a + b = b + a.
void add_each_other(Endpoint& self, int other, std::span<float> x, std::vector<float>& theirs) {
  const Endpoint::Outgoing out[] = {{other, std::as_bytes(x)}};
  const Endpoint::Incoming in[] = {{other, std::as_writable_bytes(std::span(theirs))}};
  self.exchange(out, in);
  add(x, theirs);
}

// The largest power of two that is at most n.
int power_below(int n) { return static_cast<int>(std::bit_floor(static_cast<unsigned>(n))); }

}  // namespace

std::vector<std::string> bytes_of_all(Endpoint& self, const std::string& own) {
  const auto ranks = static_cast<std::size_t>(self.ranks());
  const int rank = self.rank();
  const auto with_all = [&](std::span<const std::byte> sent, const auto& place) {
    std::vector<Endpoint::Outgoing> out;
    std::vector<Endpoint::Incoming> in;
    for (int other = 0; other < self.ranks(); ++other) {
      if (other == rank) continue;
      out.push_back({other, sent});
      in.push_back({other, place(static_cast<std::size_t>(other))});
    }
    self.exchange(out, in);
  };
  std::vector<std::uint64_t> sizes(ranks);  // the same width on every machine
  const std::uint64_t size[] = {own.size()};
  with_all(std::as_bytes(std::span(size)),
           [&](std::size_t other) { return std::as_writable_bytes(std::span(&sizes[other], 1)); });
  std::vector<std::string> all(ranks);
  for (std::size_t other = 0; other < ranks; ++other)
    all[other].resize(static_cast<std::size_t>(sizes[other]));
  with_all(std::as_bytes(std::span(own)),
           [&](std::size_t other) { return std::as_writable_bytes(std::span(all[other])); });
  all[static_cast<std::size_t>(rank)] = own;
  return all;
}

std::string bytes_of(Endpoint& self, int root, const std::string& own) {
  return bytes_of_all(self, self.rank() == root ? own : "")[static_cast<std::size_t>(root)];
}

// Down a tree: processes that have the numbers send them on to the one `step` after them.
void numbers_of(Endpoint& self, int root, std::span<float> numbers) {
  const int ranks = self.ranks(), from_root = (self.rank() - root + ranks) % ranks;
  for (int step = power_below(ranks); step > 0; step /= 2) {
    if (from_root % (2 * step) == 0 && from_root + step < ranks)
      self.send((self.rank() + step) % ranks, std::as_bytes(numbers));
    if (from_root % (2 * step) == step)
      self.receive((self.rank() - step + ranks) % ranks, std::as_writable_bytes(numbers));
  }
}

Range share_of(std::ptrdiff_t n, int rank, int ranks) {
  return {n * rank / ranks, n * (rank + 1) / ranks};
}

void gather_ranges(Endpoint& self, std::span<float> numbers, std::span<const Range> ranges) {
  std::vector<Endpoint::Outgoing> out;
  std::vector<Endpoint::Incoming> in;
  const Range& own = ranges[static_cast<std::size_t>(self.rank())];
  for (int other = 0; other < self.ranks(); ++other) {
    if (other == self.rank()) continue;
    const Range& theirs = ranges[static_cast<std::size_t>(other)];
    if (own.size() > 0) out.push_back({other, std::as_bytes(part(numbers, own))});
    if (theirs.size() > 0) in.push_back({other, std::as_writable_bytes(part(numbers, theirs))});
  }
  self.exchange(out, in);
}

// Up the tree to process 0, which then has the sum, and down again.
int add_up_tree(Endpoint& self, std::span<float> x) {
  std::vector<float> theirs(x.size());
  const int rank = self.rank(), ranks = self.ranks();
  int steps = 0;
  for (int step = 1; step < ranks; step *= 2, ++steps) {
    if (rank % (2 * step) == step) self.send(rank - step, std::as_bytes(x));
    if (rank % (2 * step) == 0 && rank + step < ranks) {
      self.receive(rank + step, std::as_writable_bytes(std::span(theirs)));
      add(x, theirs);
    }
  }
  numbers_of(self, 0, x);
  return 2 * steps;
}

// After step s, every process has the sum of a group of 2^s. If n is no power of two, those beyond
// the largest power send their numbers to a partner first, and get the sum from it at the end.
int add_up_doubling(Endpoint& self, std::span<float> x) {
  std::vector<float> theirs(x.size());
  const int rank = self.rank(), power = power_below(self.ranks()), beyond = self.ranks() - power;
  int steps = beyond > 0 ? 2 : 0;
  for (int step = 1; step < power; step *= 2) ++steps;
  if (rank >= power) {
    self.send(rank - power, std::as_bytes(x));
    self.receive(rank - power, std::as_writable_bytes(x));
    return steps;
  }
  if (rank < beyond) {
    self.receive(rank + power, std::as_writable_bytes(std::span(theirs)));
    add(x, theirs);
  }
  for (int step = 1; step < power; step *= 2) add_each_other(self, rank ^ step, x, theirs);
  if (rank < beyond) self.send(rank + power, std::as_bytes(x));
  return steps;
}

// x is cut into n parts. In step s of the first round process r sends part r - s to its right
// neighbour and adds what it receives from the left to part r - s - 1: after n - 1 steps part r + 1
// is complete at r. In the second round the complete parts circulate.
int add_up_ring(Endpoint& self, std::span<float> x) {
  const int rank = self.rank(), ranks = self.ranks();
  const int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
  const auto count = static_cast<std::ptrdiff_t>(x.size());
  const auto numbered = [&](int number) {
    return part(x, share_of(count, (number + 2 * ranks) % ranks, ranks));
  };
  std::vector<float> theirs;
  for (int step = 0; step < ranks - 1; ++step) {
    const std::span<float> sum = numbered(rank - step - 1);
    theirs.resize(sum.size());
    const Endpoint::Outgoing out[] = {{right, std::as_bytes(numbered(rank - step))}};
    const Endpoint::Incoming in[] = {{left, std::as_writable_bytes(std::span(theirs))}};
    self.exchange(out, in);
    add(sum, theirs);
  }
  for (int step = 0; step < ranks - 1; ++step) {
    const Endpoint::Outgoing out[] = {{right, std::as_bytes(numbered(rank + 1 - step))}};
    const Endpoint::Incoming in[] = {{left, std::as_writable_bytes(numbered(rank - step))}};
    self.exchange(out, in);
  }
  return 2 * (ranks - 1);
}

}  // namespace xf
