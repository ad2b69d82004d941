#pragma once

#include <functional>
#include <vector>

#include "distributed/endpoint.hpp"

namespace xf {

// A message that was sent.
struct Letter {
  int from, to;
  std::size_t bytes;
  int step;  // how many exchanges its sender had begun before
};

// How a letter reaches its receiver. Through a box, sending never blocks. By hand, a sender blocks
// until its letters have been received, as it may over a network: MPI does not specify above which
// length sending a message blocks ("rendezvous").
enum class Delivery { boxes, by_hand };

// n processes that are threads of this one, for lessons and tests: a message goes through a mailbox
// instead of a network. Runs body(endpoint) on each and returns all letters, ordered by step. The
// result does not depend on which thread is faster:
// - If processes throw, the others continue as far as they can, and the exception of the lowest
//   rank is rethrown.
// - If no process can continue, it throws std::runtime_error saying which process waits for which;
//   likewise if a letter was never received, or its length is not what its receiver expects.
std::vector<Letter> run_threads_as_processes(int ranks,
                                             const std::function<void(Endpoint& self)>& body,
                                             Delivery delivery = Delivery::boxes);

}  // namespace xf
