#include "train/early_sums.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <unordered_map>

#include "distributed/processes.hpp"

namespace xf {

namespace {

// 4 MB. Larger ones leave later, smaller ones cost more messages.
constexpr std::ptrdiff_t bucket_size = 1 << 20;
// How long the thread looks away from a sum that others have not reached yet: it shares its core
// with the backward pass.
constexpr std::chrono::microseconds pause{50};

void add(float* sum, const float* x, std::ptrdiff_t count) {
  for (std::ptrdiff_t i = 0; i < count; ++i) sum[i] += x[i];
}

}  // namespace

// The row: a flag for each parameter, 1 in every process that has a gradient of it; then the
// parameters. So the flags travel with the bucket that leaves last.
struct EarlySums::State {
  struct Bucket {
    std::size_t first, last;     // parameters
    std::size_t incomplete = 0;  // gradients that it waits for
  };

  std::vector<const Tensor*> tensors;  // the parameters
  std::vector<std::ptrdiff_t> counts, offsets;
  std::vector<float> row;
  std::vector<Bucket> buckets;         // as they leave
  std::vector<std::size_t> bucket_of;  // a parameter

  std::mutex mutex;
  std::condition_variable changed;
  std::unordered_map<const Storage*, std::size_t> number;  // of a parameter
  std::vector<std::vector<const float*>> gradients;        // by parameter, then set
  bool begun = false;
  std::atomic<bool> complete = false, abandoned = false;

  explicit State(const std::vector<NamedParameter>& parameters) {
    auto all = static_cast<std::ptrdiff_t>(parameters.size());
    for (const NamedParameter& parameter : parameters) {
      tensors.push_back(parameter.tensor);
      counts.push_back(parameter.tensor->count());
      offsets.push_back(all);
      all += counts.back();
    }
    row.resize(static_cast<std::size_t>(all));
    bucket_of.resize(parameters.size());
    std::ptrdiff_t size = 0;
    for (std::size_t p = parameters.size(); p-- > 0; size += counts[p]) {
      if (buckets.empty() || size >= bucket_size) buckets.push_back({p, p + 1}), size = 0;
      buckets.back().first = p;
      bucket_of[p] = buckets.size() - 1;
    }
  }

  // The sets of this process, for the others.
  void fill(const Bucket& bucket) {
    for (std::size_t p = bucket.first; p < bucket.last; ++p) {
      float* const sum = row.data() + offsets[p];
      bool has = false;
      for (const float* gradient : gradients[p]) {
        if (!gradient) continue;
        has ? add(sum, gradient, counts[p]) : void(std::copy_n(gradient, counts[p], sum));
        has = true;
      }
      if (!has) std::fill_n(sum, counts[p], 0.0f);
      row[p] = has ? 1.0f : 0.0f;
    }
  }

  void add_up_all() {
    const auto idle = [this] {
      if (!complete) std::this_thread::sleep_for(pause);
    };
    for (std::size_t b = 0; b < buckets.size(); ++b) {
      const bool last = b + 1 == buckets.size();
      {
        std::unique_lock lock(mutex);
        changed.wait(
            lock, [&] { return complete || abandoned || (!last && buckets[b].incomplete == 0); });
      }
      if (abandoned) return;
      fill(buckets[b]);
      const std::size_t end = buckets[b].last - 1;
      const std::ptrdiff_t from = last ? 0 : offsets[buckets[b].first],
                           to = offsets[end] + counts[end];
      everyone().add_up({row.data() + from, static_cast<std::size_t>(to - from)}, idle);
    }
  }
};

EarlySums::EarlySums(const std::vector<NamedParameter>& parameters)
    : state_(std::make_shared<State>(parameters)) {}

EarlySums::~EarlySums() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(state_->mutex);
    state_->abandoned = true;
  }
  state_->changed.notify_all();
  thread_.detach();
}

void EarlySums::begin(int sets) {
  State& state = *state_;
  state.number.clear();
  for (std::size_t p = 0; p < state.tensors.size(); ++p)
    state.number.emplace(state.tensors[p]->key(), p);
  state.gradients.assign(state.tensors.size(),
                         std::vector<const float*>(static_cast<std::size_t>(sets), nullptr));
  for (State::Bucket& bucket : state.buckets)
    bucket.incomplete = (bucket.last - bucket.first) * static_cast<std::size_t>(sets);
  state.begun = true;
  state.complete = false;
  if (everyone().any_thread()) thread_ = std::thread([kept = state_] { kept->add_up_all(); });
}

bool EarlySums::begun() const { return state_->begun; }

void EarlySums::ready(int set, const Storage* parameter, const float* gradient) {
  State& state = *state_;
  const auto found = state.number.find(parameter);
  if (found == state.number.end()) return;  // a leaf that is not trained
  const std::lock_guard lock(state.mutex);
  state.gradients[found->second][static_cast<std::size_t>(set)] = gradient;
  if (--state.buckets[state.bucket_of[found->second]].incomplete == 0) state.changed.notify_all();
}

void EarlySums::finish() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->complete = true;
    state_->begun = false;
  }
  state_->changed.notify_all();
  if (thread_.joinable())
    thread_.join();
  else
    state_->add_up_all();
}

bool EarlySums::has_gradient(std::size_t parameter) const { return state_->row[parameter] > 0; }

float* EarlySums::sum(std::size_t parameter) {
  return state_->row.data() + state_->offsets[parameter];
}

}  // namespace xf
