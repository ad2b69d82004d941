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

// n processes that are threads of this one, for lessons and tests: a message goes through a mailbox
// instead of a network. Runs body(endpoint) on each and returns all letters, by step. The first
// exception is rethrown; the others then stop waiting. Where all wait for a letter that nobody will
// send, it throws std::runtime_error, which says who waits for whom.
std::vector<Letter> run_threads_as_processes(int ranks,
                                             const std::function<void(Endpoint& self)>& body);

}  // namespace xf
