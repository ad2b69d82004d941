#include "train/adam.hpp"

#include <algorithm>
#include <cmath>

#include "distributed/processes.hpp"
#include "tensor/kernels.hpp"
#include "tensor/portable_math.hpp"

namespace xf {

namespace {

std::ptrdiff_t stretches(std::ptrdiff_t count) {
  return (count + kernel::stretch - 1) / kernel::stretch;
}

}  // namespace

Adam::Adam(std::vector<NamedParameter> parameters, const AdamOptions& options)
    : parameters_(std::move(parameters)), options_(options) {
  const bool on_cpu = parameters_.empty() || parameters_[0].tensor->device() == Device::cpu,
             fast = arithmetic() == Arithmetic::fast;
  if (several_processes() && on_cpu && fast && !options_.shared_state) {
    early_ = std::make_unique<EarlySums>(parameters_);
  } else if (several_processes()) {
    std::vector<std::ptrdiff_t> counts;
    for (const NamedParameter& parameter : parameters_) counts.push_back(parameter.tensor->count());
    shared_.emplace(counts);
    if (!on_cpu && fast) devices_ = join_devices(everyone());
  }
  if (in_shares()) {
    const Shape own{static_cast<int>(shared_->own_count())};
    m_.push_back(Tensor::zeros(own));
    v_.push_back(Tensor::zeros(own));
    return;
  }
  for (const NamedParameter& parameter : parameters_) {
    for (auto* average : {&m_, &v_})
      average->push_back(Tensor::zeros(parameter.tensor->shape(), parameter.tensor->device()));
  }
}

double Adam::step(std::span<Gradients> shards, double learning_rate, ShardLosses* losses) {
  const Device device = parameters_.empty() ? Device::cpu : parameters_.front().tensor->device();
  return dispatch(device, [&](auto on) { return step_on(on, shards, learning_rate, losses); });
}

template <class On>
double Adam::step_on(On on, std::span<Gradients> shards, double learning_rate,
                     ShardLosses* losses) {
  Shards gradients;
  for (const NamedParameter& parameter : parameters_) {
    std::vector<float*>& of_this = gradients.emplace_back();
    for (const Gradients& shard : shards) {
      Tensor gradient = shard.of(*parameter.tensor);
      of_this.push_back(gradient.defined() ? gradient.data(on) : nullptr);
    }
  }
  double norm = 0;
  std::vector<kernel::AdamPart> parts;
  if constexpr (On::device == Device::cpu) {
    parts = shared_  ? sum_with_others(on, gradients, learning_rate, norm)
            : early_ ? sum_early(on, gradients, learning_rate, norm)
                     : sum(on, gradients, learning_rate, losses, norm);
  } else {
    if (shared_) add_up_on_devices(on, gradients);
    parts = sum(on, gradients, learning_rate, losses, norm);
  }
  if (losses && !std::isfinite(double(*losses))) throw NotFinite("the loss is not finite");
  ++steps_;
  kernel::adam(on, rates(learning_rate, norm), parts);
  if (in_shares()) share_weights(on);
  return norm;
}

template <class On>
std::vector<kernel::AdamPart> Adam::sum(On on, Shards& gradients, double learning_rate,
                                        ShardLosses* losses, double& norm) {
  std::vector<kernel::AdamPart> parts;
  std::vector<std::size_t> part_of;
  for (std::size_t p = 0; p < parameters_.size(); ++p) {
    const auto first = std::find_if(gradients[p].begin(), gradients[p].end(),
                                    [](const float* one) { return one != nullptr; });
    if (first == gradients[p].end()) continue;
    Tensor& w = *parameters_[p].tensor;
    parts.push_back({*first, gradients[p], m_[p].data(on), v_[p].data(on), w.data(on),
                     left(p, learning_rate), w.count()});
    part_of.insert(part_of.end(), static_cast<std::size_t>(stretches(w.count())), p);
  }
  const std::vector<Tensor> pending = losses ? losses->pending() : std::vector<Tensor>{};
  std::vector<const float*> pending_numbers;
  for (const Tensor& loss : pending) pending_numbers.push_back(loss.data(on));
  const kernel::StepSums sums = kernel::sum_gradients(on, parts, pending_numbers);
  if (losses) losses->bring(sums.losses);
  norm = checked_norm(sums.squares, part_of);
  return parts;
}

template <class On>
std::vector<kernel::AdamPart> Adam::sum_with_others(On on, Shards& gradients, double learning_rate,
                                                    double& norm) {
  const std::vector<double> squares = shared_->add_up(on, gradients);
  std::vector<std::size_t> part_of;
  for (std::size_t p = 0; p < parameters_.size(); ++p)
    if (shared_->has_gradient(p))
      part_of.insert(part_of.end(),
                     static_cast<std::size_t>(stretches(parameters_[p].tensor->count())), p);
  norm = checked_norm(squares, part_of);

  std::vector<kernel::AdamPart> parts;
  float* const row = shared_->row().data();
  if (in_shares()) {
    std::ptrdiff_t done = 0;
    for (const auto& [p, first, count, offset] : shared_->slices(everyone().rank())) {
      if (shared_->has_gradient(p))
        parts.push_back({row + offset,
                         {},
                         m_[0].data(on) + done,
                         v_[0].data(on) + done,
                         parameters_[p].tensor->data(on) + first,
                         left(p, learning_rate),
                         count});
      done += count;
    }
    return parts;
  }
  shared_->gather();
  for (std::size_t p = 0; p < parameters_.size(); ++p)
    if (shared_->has_gradient(p))
      parts.push_back({row + shared_->offset(p),
                       {},
                       m_[p].data(on),
                       v_[p].data(on),
                       parameters_[p].tensor->data(on),
                       left(p, learning_rate),
                       parameters_[p].tensor->count()});
  return parts;
}

// In `fast` arithmetic the GPUs add up among themselves. In `same`, and without NCCL, the gradients
// go by way of the host, which has the fixed tree: NCCL promises no order of its sums, and a tree
// of its messages would add the same numbers in the same order, only sooner.
template <class On>
void Adam::add_up_on_devices(On on, Shards& gradients) {
  if (!devices_) return add_up_by_host(on, gradients);
  // Where a process has no gradient and another one has, the former's is 0.
  const std::vector<bool> anywhere = shared_->present(gradients);
  sums_.resize(parameters_.size());
  std::vector<DeviceSums::Numbers> all;
  for (std::size_t p = 0; p < parameters_.size(); ++p) {
    if (!anywhere[p]) continue;
    const Tensor& w = *parameters_[p].tensor;
    if (!gradients[p][0]) {
      sums_[p] = Tensor::zeros(w.shape(), w.device());
      gradients[p][0] = sums_[p].data(on);
    }
    all.push_back({gradients[p][0], w.count()});
  }
  devices_->add_up(all);
}

template <class On>
void Adam::add_up_by_host(On on, Shards& gradients) {
  std::vector<std::vector<std::vector<float>>> numbers;  // of each parameter and shard
  Shards here;
  for (std::size_t p = 0; p < parameters_.size(); ++p) {
    const auto count = static_cast<std::size_t>(parameters_[p].tensor->count());
    numbers.emplace_back();
    here.emplace_back();
    for (const float* gradient : gradients[p]) {
      std::vector<float>& copy = numbers.back().emplace_back(gradient ? count : 0);
      if (gradient) kernel::download(on, gradient, copy.data(), std::ssize(copy));
      here.back().push_back(gradient ? copy.data() : nullptr);
    }
  }
  shared_->add_up(SameCpu{}, here);
  shared_->gather();
  sums_.resize(parameters_.size());
  for (std::size_t p = 0; p < parameters_.size(); ++p) {
    gradients[p] = {nullptr};
    if (!shared_->has_gradient(p)) continue;
    const Tensor& w = *parameters_[p].tensor;
    if (!sums_[p].defined()) sums_[p] = Tensor::empty(w.shape(), w.device());
    gradients[p] = {sums_[p].data(on)};
    kernel::upload(on, shared_->row().data() + shared_->offset(p), gradients[p][0], w.count());
  }
}

template <class On>
std::vector<kernel::AdamPart> Adam::sum_early(On on, const Shards& gradients, double learning_rate,
                                              double& norm) {
  if (!early_->begun()) {  // nobody has told of them
    const std::size_t sets = gradients.empty() ? 0 : gradients[0].size();
    early_->begin(static_cast<int>(sets));
    for (std::size_t p = 0; p < parameters_.size(); ++p)
      for (std::size_t set = 0; set < sets; ++set)
        if (gradients[p][set])
          early_->ready(static_cast<int>(set), parameters_[p].tensor->key(), gradients[p][set]);
  }
  early_->finish();
  std::vector<kernel::AdamPart> parts;
  std::vector<std::size_t> part_of;
  for (std::size_t p = 0; p < parameters_.size(); ++p) {
    if (!early_->has_gradient(p)) continue;
    Tensor& w = *parameters_[p].tensor;
    parts.push_back({early_->sum(p),
                     {early_->sum(p)},
                     m_[p].data(on),
                     v_[p].data(on),
                     w.data(on),
                     left(p, learning_rate),
                     w.count()});
    part_of.insert(part_of.end(), static_cast<std::size_t>(stretches(w.count())), p);
  }
  norm = checked_norm(kernel::sum_gradients(on, parts, {}).squares, part_of);
  return parts;
}

// Each has taken the step of its share: the others need the weights.
template <class On>
void Adam::share_weights(On on) {
  float* const row = shared_->row().data();
  for (const auto& [p, first, count, offset] : shared_->slices(everyone().rank()))
    std::copy_n(parameters_[p].tensor->data(on) + first, count, row + offset);
  shared_->gather();
  for (std::size_t p = 0; p < parameters_.size(); ++p)
    std::copy_n(row + shared_->offset(p), parameters_[p].tensor->count(),
                parameters_[p].tensor->data(on));
}

// Matrices decay.
float Adam::left(std::size_t parameter, double learning_rate) const {
  const bool matrix = parameters_[parameter].tensor->rank() > 1;
  return matrix ? static_cast<float>(1 - learning_rate * options_.weight_decay) : 1;
}

double Adam::checked_norm(const std::vector<double>& squares,
                          const std::vector<std::size_t>& part_of) const {
  double sum = 0;
  for (std::size_t i = 0; i < squares.size(); ++i) {
    if (!std::isfinite(squares[i]))
      throw NotFinite("the gradient of " + parameters_[part_of[i]].name + " is not finite");
    sum += squares[i];
  }
  return std::sqrt(sum);
}

// Of the step that has been counted.
kernel::AdamRates Adam::rates(double learning_rate, double norm) const {
  const double correction1 = 1 - portable::pow(options_.beta1, steps_);
  const double correction2 = 1 - portable::pow(options_.beta2, steps_);
  const bool too_long = options_.clip > 0 && norm > options_.clip;
  return {.beta1 = static_cast<float>(options_.beta1),
          .beta2 = static_cast<float>(options_.beta2),
          .epsilon = static_cast<float>(options_.epsilon),
          .step_size = static_cast<float>(learning_rate / correction1),
          .inverse_root_correction = static_cast<float>(1 / std::sqrt(correction2)),
          .clip_factor = static_cast<float>(too_long ? options_.clip / norm : 1.0)};
}

std::vector<std::pair<std::string, Tensor>> Adam::state() const {
  std::vector<std::pair<std::string, Tensor>> state;
  const std::vector<Tensor> m = in_shares() ? of_all_shares(m_[0]) : m_,
                            v = in_shares() ? of_all_shares(v_[0]) : v_;
  for (std::size_t p = 0; p < parameters_.size(); ++p) {
    state.emplace_back(parameters_[p].name + ".m", m[p]);
    state.emplace_back(parameters_[p].name + ".v", v[p]);
  }
  return state;
}

std::vector<Tensor> Adam::of_all_shares(const Tensor& own) const {
  SharedGradients row(*shared_);
  std::ptrdiff_t done = 0;
  for (const auto& [p, first, count, offset] : row.slices(everyone().rank())) {
    std::copy_n(own.data(SameCpu{}) + done, count, row.row().data() + offset);
    done += count;
  }
  row.gather();
  std::vector<Tensor> all;
  for (std::size_t p = 0; p < parameters_.size(); ++p) {
    all.push_back(Tensor::zeros(parameters_[p].tensor->shape()));
    std::copy_n(row.row().data() + row.offset(p), all[p].count(), all[p].data(SameCpu{}));
  }
  return all;
}

void Adam::restore(int steps, const std::vector<std::pair<std::string, Tensor>>& state) {
  if (state.size() != 2 * parameters_.size())
    throw std::invalid_argument("adam: the state belongs to another model");
  for (std::size_t i = 0; i < state.size(); ++i) {
    const NamedParameter& parameter = parameters_[i / 2];
    const std::string name = parameter.name + (i % 2 == 0 ? ".m" : ".v");
    if (state[i].first != name || !(state[i].second.shape() == parameter.tensor->shape()))
      throw std::invalid_argument("adam: the state of " + name + " is missing");
  }
  steps_ = steps;
  if (!in_shares()) {
    for (std::size_t p = 0; p < parameters_.size(); ++p) {
      copy_into(m_[p], state[2 * p].second.values());
      copy_into(v_[p], state[2 * p + 1].second.values());
    }
    return;
  }
  std::ptrdiff_t done = 0;
  for (const auto& [p, first, count, offset] : shared_->slices(everyone().rank())) {
    for (const bool second : {false, true})
      std::copy_n(state[2 * p + second].second.data(SameCpu{}) + first, count,
                  (second ? v_ : m_)[0].data(SameCpu{}) + done);
    done += count;
  }
}

}  // namespace xf
