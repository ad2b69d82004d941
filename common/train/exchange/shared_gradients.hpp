#pragma once

#include <span>
#include <string>
#include <vector>

#include "distributed/processes.hpp"
#include "train/exchange/gradient_sums.hpp"

namespace xf {

// The parameters of a model as several processes train them: each has its own copy of the weights,
// and computes the gradients of its shards of a batch. The numbers of all parameters form one row,
// in stretches of 32,768; each process is responsible for a share of these stretches.
//
// A step is a reduce-scatter (every process receives all gradients of its share, and adds them) and
// an all-gather: of the sums, after which every process takes the same step; or, if the optimizer
// state is sharded (Rajbhandari et al. 2020, ZeRO, stage 1), of the weights, after each process has
// taken the step for its share. Both send the same amount, and give the same weights: the order of
// the sums does not depend on the number of processes (distributed/neighbours.hpp).
class SharedGradients {
 public:
  explicit SharedGradients(const std::vector<NamedParameter>& parameters);
  // counts: the sizes of the parameters
  explicit SharedGradients(std::vector<std::ptrdiff_t> counts, Endpoint& self = everyone());

  // A stretch of one parameter, within the share of a process.
  struct Slice {
    std::size_t parameter;
    std::ptrdiff_t first, count;  // in the parameter
    std::ptrdiff_t offset;        // in the row
  };
  std::vector<Slice> slices(int rank) const;

  // gradients[p]: those of parameter p in each of this process's shards, on the CPU, undefined if a
  // shard has none; they are overwritten. Returns the sums of squares of all stretches, of all
  // processes, for parameters that have a gradient anywhere (has_gradient()). Afterwards this
  // process's share of row() holds the sums.
  std::vector<double> add_up(const ShardGradients& gradients);
  // By parameter: whether any process has a gradient. All processes must call it.
  const std::vector<bool>& present(const ShardGradients& gradients) {
    ask_who_has_what(gradients);
    return present_;
  }
  bool has_gradient(std::size_t parameter) const { return present_[parameter]; }
  // Sends this process's share of row() to all, and receives theirs.
  void gather() { gather_ranges(*self_, row_, ranges_); }
  std::span<float> row() { return row_; }
  std::ptrdiff_t offset(std::size_t parameter) const { return offsets_[parameter]; }

 private:
  using Slots = std::vector<float*>;

  template <class On>
  std::vector<double> add_up_on(On on, const ShardGradients& own);
  // Collects which gradients exist, by parameter and shard, and how many shards each process has.
  void ask_who_has_what(const ShardGradients& own);
  // The shards at which a process has sums whose neighbours are in another process, by parameter.
  std::vector<std::vector<int>> left_over(int rank) const;

  Endpoint* self_;
  std::vector<std::ptrdiff_t> counts_, offsets_;
  std::vector<Range> ranges_;  // of the row, by process
  std::vector<float> row_;
  std::vector<std::vector<float>> got_;  // by process: what it sent for this process's share
  std::vector<std::string> has_;         // by process: parameters x its shards, '0' or '1'
  std::vector<bool> present_;
  std::vector<int> first_shard_;  // by process, and their total at the end
};

}  // namespace xf
