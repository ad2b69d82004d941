#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "distributed/endpoint.hpp"

namespace xf {

// A message that was sent.
struct Letter {
  int from, to;
  std::size_t bytes;
  int step;  // how many exchanges its sender had begun before
};

// How a letter reaches its receiver. In a box, sending never waits. By hand, a sender waits until
// its letters have been received, as it may over a network: MPI does not specify from which length
// on a message does that ("rendezvous").
enum class Delivery { boxes, by_hand };

// n processes that are threads of this one, for lessons and tests: a message goes through a mailbox
// instead of a network. Runs body(endpoint) on each and returns all letters, by step. The result
// does not depend on which thread is faster:
// - Where processes throw, the others continue as far as they can, and the exception of the lowest
//   rank is rethrown.
// - Where no process can continue, it throws std::runtime_error, which says who waits for whom; the
//   same where a letter was never received, or is not as long as its receiver expects.
std::vector<Letter> run_threads_as_processes(int ranks,
                                             const std::function<void(Endpoint& self)>& body,
                                             Delivery delivery = Delivery::boxes);

}  // namespace xf
