#include "train/exchange/over_processes.hpp"

#include <algorithm>
#include <memory>

#include "train/exchange/kernels.hpp"

namespace xf {

namespace {

// A tensor over existing numbers: writing to it changes them. A share of a matrix is also a matrix,
// so that weight decay applies to it.
Tensor over(std::span<float> numbers, bool of_a_matrix) {
  const int count = static_cast<int>(numbers.size());
  return Tensor::over(of_a_matrix ? Shape{1, count} : Shape{count},
                      std::shared_ptr<void>(numbers.data(), [](void*) {}));
}

std::span<float> numbers_of_share(Tensor& whole, const SharedGradients::Slice& slice) {
  return {whole.data(SameCpu{}) + slice.first, static_cast<std::size_t>(slice.count)};
}

}  // namespace

OverProcesses::OverProcesses(std::vector<NamedParameter> parameters, bool shared_state)
    : Exchange(std::move(parameters)), shared_(parameters_), in_shares_(shared_state) {
  if (in_shares_) {
    slices_ = shared_.slices(everyone().rank());
    for (const SharedGradients::Slice& slice : slices_) {
      Tensor& whole = *parameters_[slice.parameter].tensor;
      shares_.push_back(over(numbers_of_share(whole, slice), whole.rank() > 1));
    }
  } else {
    for (std::size_t p = 0; p < parameters_.size(); ++p)
      slices_.push_back({p, 0, parameters_[p].tensor->count(), shared_.offset(p)});
  }
}

std::vector<NamedParameter> OverProcesses::own() {
  if (!in_shares_) return parameters_;
  std::vector<NamedParameter> own;
  for (std::size_t i = 0; i < slices_.size(); ++i)
    own.push_back({parameters_[slices_[i].parameter].name, &shares_[i]});
  return own;
}

GradientSums OverProcesses::sum(std::span<Gradients> shards, ShardLosses* losses) {
  const std::vector<double> squares = shared_.add_up(gradients_of(parameters_, shards));
  std::vector<std::size_t> part_of;
  for (std::size_t p = 0; p < parameters_.size(); ++p)
    if (shared_.has_gradient(p))
      part_of.insert(part_of.end(), kernel::stretches(parameters_[p].tensor->count()), p);
  GradientSums sums;
  sums.norm = norm_of(parameters_, squares, part_of);
  check_finite(losses);
  if (!in_shares_) shared_.gather();
  for (const SharedGradients::Slice& slice : slices_)
    sums.of.push_back(shared_.has_gradient(slice.parameter) ? over(in_row(slice), false)
                                                            : Tensor());
  return sums;
}

void OverProcesses::share_weights() {
  if (!in_shares_) return;
  std::vector<Tensor> all;
  for (const NamedParameter& parameter : parameters_) all.push_back(*parameter.tensor);
  gather(shares_, all);
}

void OverProcesses::gather(const std::vector<Tensor>& own, std::vector<Tensor>& all) {
  for (std::size_t i = 0; i < slices_.size(); ++i) {
    const Values values = own[i].values();
    std::copy(values.begin(), values.end(), in_row(slices_[i]).begin());
  }
  shared_.gather();
  for (std::size_t p = 0; p < all.size(); ++p)
    copy_into(all[p], shared_.row().subspan(static_cast<std::size_t>(shared_.offset(p)),
                                            static_cast<std::size_t>(all[p].count())));
}

std::span<float> OverProcesses::in_row(const SharedGradients::Slice& slice) {
  return shared_.row().subspan(static_cast<std::size_t>(slice.offset),
                               static_cast<std::size_t>(slice.count));
}

NamedTensors OverProcesses::whole(const NamedTensors& own) {
  if (!in_shares_) return own;
  NamedTensors state(2 * parameters_.size());
  for (const std::size_t moment : {0, 1}) {
    std::vector<Tensor> shares, all;
    for (std::size_t i = 0; i < slices_.size(); ++i) shares.push_back(own[2 * i + moment].second);
    for (const NamedParameter& parameter : parameters_)
      all.push_back(Tensor::zeros(parameter.tensor->shape()));
    gather(shares, all);
    for (std::size_t p = 0; p < all.size(); ++p)
      state[2 * p + moment] = {parameters_[p].name + (moment == 0 ? ".m" : ".v"), all[p]};
  }
  return state;
}

NamedTensors OverProcesses::share_of(const NamedTensors& whole) {
  if (!in_shares_) return whole;
  NamedTensors state;
  for (const SharedGradients::Slice& slice : slices_)
    for (const std::size_t moment : {0, 1}) {
      auto [name, all] = whole[2 * slice.parameter + moment];
      state.emplace_back(name, over(numbers_of_share(all, slice), all.rank() > 1).clone());
    }
  return state;
}

}  // namespace xf
