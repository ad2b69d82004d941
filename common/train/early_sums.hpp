#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "distributed/endpoint.hpp"
#include "nn/parameters.hpp"

namespace xf {

// The sums of several processes' gradients in `fast` arithmetic, on their way while the backward
// pass goes on (Li et al. 2020, 3.2). All numbers of all parameters stand in one row, which is cut
// into buckets. The backward pass reaches the end of the row first: as soon as the gradients of the
// last bucket are complete in each of this process's sets (one a thread), a thread of its own adds
// the sets, and Endpoint::add_up() adds up the bucket; then the one before it, and so on. The order
// is the same in every process. What is added to what is the business of MPI.
class EarlySums {
 public:
  explicit EarlySums(const std::vector<NamedParameter>& parameters);
  ~EarlySums();  // leaves a sum that is under way to itself: something was thrown

  // Before the gradients of a batch are computed in so many sets.
  void begin(int sets);
  bool begun() const;
  // A gradient is complete: no op that is still to come adds to it. On the thread of its set; its
  // numbers stay where they are until finish() returns.
  void ready(int set, const Storage* parameter, const float* gradient);
  // All gradients of this process are complete; a parameter that was not named has none here.
  // Returns when every process has the sums.
  void finish();

  // Then: has the parameter a gradient in any process, and where is its sum?
  bool has_gradient(std::size_t parameter) const;
  float* sum(std::size_t parameter);

 private:
  struct State;  // which the thread keeps alive

  std::shared_ptr<State> state_;
  std::thread thread_;
};

}  // namespace xf
