#include "exercise.hpp"

namespace xf::exercise {

void add(std::span<float> sum, std::span<const float> x) {
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += x[i];
}

void to_one_and_back(Endpoint& self, std::span<float> x) {
  if (self.rank() > 0) {
    self.send(0, std::as_bytes(x));
    self.receive(0, std::as_writable_bytes(x));
    return;
  }
  std::vector<float> theirs(x.size());
  for (int other = 1; other < self.ranks(); ++other) {
    self.receive(other, std::as_writable_bytes(std::span(theirs)));
    add(x, theirs);
  }
  for (int other = 1; other < self.ranks(); ++other) self.send(other, std::as_bytes(x));
}

// Part p of x, which is cut into n; p counts on behind n - 1, and backwards from 0.
std::span<float> part(std::span<float> x, int p, int n) {
  const auto number = static_cast<std::size_t>((p % n + n) % n), parts = std::size_t(n);
  const std::size_t first = x.size() * number / parts, last = x.size() * (number + 1) / parts;
  return x.subspan(first, last - first);
}

// Sends to the right while something comes from the left.
void turn(Endpoint& self, std::span<const float> sent, std::span<float> received) {
  const int r = self.rank(), n = self.ranks();
  const Endpoint::Outgoing out[] = {{(r + 1) % n, std::as_bytes(sent)}};
  const Endpoint::Incoming in[] = {{(r + n - 1) % n, std::as_writable_bytes(received)}};
  self.exchange(out, in);
}

void around_the_ring(Endpoint& self, std::span<float> x) {
  const int r = self.rank(), n = self.ranks();
  for (int step = 0; step < n - 1; ++step) {
    const std::span<float> sum = part(x, r - step - 1, n);
    std::vector<float> theirs(sum.size());
    turn(self, part(x, r - step, n), theirs);
    add(sum, theirs);
  }
  for (int step = 0; step < n - 1; ++step)
    turn(self, part(x, r - step + 1, n), part(x, r - step, n));
}

}  // namespace xf::exercise
