#include "exercise.hpp"

namespace xf::exercise {

// Written by somebody who tried it with 4 processes on one machine, once, and got the best model.
int take_best(Endpoint& self, float loss, std::span<float> w) {
  TODO("12-02: my/12-02_standstill_autopsy.cpp");
  const int rank = self.rank(), n = self.ranks();

  // Everybody tells everybody its loss.
  std::vector<float> losses(std::size_t(n), loss);
  for (int other = 0; other < n; ++other)
    if (other != rank) self.send(other, std::as_bytes(std::span(&loss, 1)));
  for (int other = 0; other < n; ++other)
    if (other != rank) self.receive(other, std::as_writable_bytes(std::span(&losses[other], 1)));

  int best = rank;
  for (int other = 0; other < n; ++other)
    if (losses[other] < losses[best]) best = other;

  // The weights go down a tree: who has them sends them to who is 1, 2, 4 ... further.
  const int distance = (rank - best + n) % n;  // from the best one
  int step = 1;
  if (distance > 0) {
    while (2 * step <= distance) step *= 2;
    self.receive((rank - step + n) % n, std::as_writable_bytes(w));
    step *= 2;
  }
  for (; 2 * step <= n; step *= 2) self.send((rank + step) % n, std::as_bytes(w));
  return best;
}

}  // namespace xf::exercise
