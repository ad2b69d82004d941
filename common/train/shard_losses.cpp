#include "train/shard_losses.hpp"

#include "autograd/tape.hpp"

namespace xf {

void ShardLosses::add(int set, const Tensor& loss) {
  Set& to = sets_[static_cast<std::size_t>(set)];
  if (loss.device() == Device::cpu)
    to.sum += loss.item();
  else
    to.pending.push_back(detach(loss));
}

ShardLosses::operator double() const {
  double all = 0;
  for (const Set& set : sets_) {
    double sum = set.sum;
    for (const Tensor& loss : set.pending) sum += loss.item();
    all += sum;
  }
  return all;
}

std::vector<Tensor> ShardLosses::pending() const {
  std::vector<Tensor> found;
  for (const Set& set : sets_) found.insert(found.end(), set.pending.begin(), set.pending.end());
  return found;
}

void ShardLosses::bring(std::span<const float> values) {
  auto next = values.begin();
  for (Set& set : sets_) {
    for (std::size_t i = 0; i < set.pending.size(); ++i) set.sum += *next++;
    set.pending.clear();
  }
}

}  // namespace xf
