#include "train/exchange/shard_losses.hpp"

#include <string>

#include "autograd/tape.hpp"
#include "distributed/processes.hpp"
#include "tensor/stored_numbers.hpp"

namespace xf {

void ShardLosses::add(int set, const Tensor& loss) {
  Set& to = sets_[static_cast<std::size_t>(set)];
  if (loss.device() == Device::cpu)
    to.sum += loss.item();
  else
    to.pending.push_back(detach(loss));
}

void ShardLosses::join() {
  if (!several_processes()) return;
  std::string own;
  for (const Set& set : sets_) {
    double sum = set.sum;
    for (const Tensor& loss : set.pending) sum += loss.item();
    own.append(reinterpret_cast<const char*>(&sum), sizeof sum);
  }
  sets_.clear();
  for (const std::string& bytes : bytes_of_all(everyone(), own))
    for (std::size_t at = 0; at < bytes.size(); at += sizeof(double))
      sets_.push_back({.sum = bits_at<double>(bytes.data() + at), .pending = {}});
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
