#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "distributed/endpoint.hpp"

namespace xf {

// A message as it went by.
struct Letter {
  int from, to;
  std::size_t bytes;
  int step;  // how many exchanges its sender had begun before
};

// How a letter gets to who asks for it. In a box, sending never waits. By hand, a sender waits
// until its letters have been asked for, as it may over a network: MPI leaves it open how long a
// message must be for that ("rendezvous").
enum class Delivery { boxes, by_hand };

// n processes that are threads of this one, for lessons and tests: a message goes through a mailbox
// instead of a network. Runs body(endpoint) on each and returns all letters, by step. What comes of
// it does not depend on which thread is faster:
// - Where processes throw, the others go on as far as they can, and the exception of the lowest
//   rank is rethrown.
// - Where nobody can go on, it throws std::runtime_error, which says who waits for whom; also where
//   a letter is left over that nobody has asked for, or is not as long as who asks expects.
std::vector<Letter> run_threads_as_processes(int ranks,
                                             const std::function<void(Endpoint& self)>& body,
                                             Delivery delivery = Delivery::boxes);

}  // namespace xf
