#include "ops/linear/frozen_weights.hpp"

#include <atomic>
#include <mutex>
#include <unordered_map>

#include "autograd/tape.hpp"

namespace xf {

namespace {

struct Kept {
  Tensor weight;  // so that nothing else can take its place in memory
  std::shared_ptr<const kernel::PanelMatrix> copy;
};

std::mutex mutex;
std::atomic<int> holders{0};
std::unordered_map<const Storage*, Kept> kept;

constexpr std::ptrdiff_t least_size = 1 << 14;  // smaller weights stay in the cache anyway

}  // namespace

FrozenWeights::FrozenWeights() { ++holders; }

FrozenWeights::~FrozenWeights() {
  const std::lock_guard lock(mutex);
  if (--holders == 0) kept.clear();
}

std::shared_ptr<const kernel::PanelMatrix> frozen(const Tensor& weight, int rows) {
  if (holders == 0 || rows < 2 || !weight.leaf || weight.count() < least_size || Tape::active() ||
      weight.device() != Device::cpu || kernel::gemm_path() == kernel::GemmPath::openblas)
    return nullptr;
  const std::lock_guard lock(mutex);
  const auto [found, first_use] = kept.try_emplace(weight.key(), Kept{weight, nullptr});
  if (first_use) return nullptr;
  std::shared_ptr<const kernel::PanelMatrix>& copy = found->second.copy;
  if (!copy)
    copy = std::make_shared<kernel::PanelMatrix>(
        kernel::Matrix{weight.data(Cpu{}), weight.size(0), weight.size(1)}.transpose());
  return copy;
}

}  // namespace xf
