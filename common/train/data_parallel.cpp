#include "train/data_parallel.hpp"

#include <algorithm>
#include <string>

#include "distributed/processes.hpp"
#include "ops/dropout/dropout.hpp"
#include "tensor/parallel.hpp"
#include "tensor/random.hpp"
#include "tensor/stored_numbers.hpp"

namespace xf {

int shards_of_batch(int fixed) {
  return arithmetic() == Arithmetic::same ? fixed : threads() * everyone().ranks();
}

Tensor from_process_of(int shard, int shards, const Tensor& own) {
  if (!several_processes()) return own;
  int owner = 0;
  while (share_of(shards, owner, everyone().ranks()).last <= shard) ++owner;
  const bool here = everyone().rank() == owner;
  const Shape own_shape = here ? own.shape() : Shape();
  const std::string bytes =
      bytes_of(everyone(), owner, {reinterpret_cast<const char*>(&own_shape), sizeof own_shape});
  Tensor tensor =
      here ? own.to(Device::cpu).clone() : Tensor::zeros(bits_at<Shape>(bytes.data()), Device::cpu);
  numbers_of(everyone(), owner, {tensor.data(SameCpu{}), static_cast<std::size_t>(tensor.count())});
  return tensor;
}

const ShardLosses& DataParallel::run(int shards, std::uint64_t seed,
                                     const std::function<Tensor(int)>& loss_of) {
  const bool same = arithmetic() == Arithmetic::same;
  const Range own = share_of(shards, everyone().rank(), everyone().ranks());
  const int here = static_cast<int>(own.size()), sets = same ? here : std::min(here, threads());
  gradients_.resize(static_cast<std::size_t>(sets));
  losses_.start(sets);
  run_parallel(sets, [&](int set) {
    Gradients& gradients = gradients_[static_cast<std::size_t>(set)];
    gradients.reset();
    for (int shard = static_cast<int>(own.first) + set; shard < own.last; shard += sets) {
      const Training training(mix(seed ^ mix(static_cast<std::uint64_t>(shard) + 1)));
      Tape tape;
      const Tensor loss = loss_of(shard);
      losses_.add(set, loss);
      tape.backward(loss, gradients);
    }
  });
  losses_.join();
  return losses_;
}

}  // namespace xf
