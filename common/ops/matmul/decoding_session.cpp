#include "ops/matmul/decoding_session.hpp"

#include <utility>

#include "tensor/device.hpp"

namespace xf {

namespace {

thread_local DecodingSession* used = nullptr;

constexpr std::ptrdiff_t least_size = 1 << 14;

// Products of one row read the weights once, as they lie, where the order of their sums is free.
bool is_direct_for_one_row() { return arithmetic() == Arithmetic::fast; }

}  // namespace

DecodingSession::Use::Use(DecodingSession& session) : before_(std::exchange(used, &session)) {}
DecodingSession::Use::~Use() { used = before_; }

DecodingSession* DecodingSession::active() { return used; }

DecodingSession::DecodingSession(const std::vector<Tensor>& weights) {
  for (const Tensor& weight : weights)
    if (weight.rank() == 2 && weight.count() >= least_size && weight.device() == Device::cpu)
      kept_.try_emplace(weight.values().data(), Kept{.weight = weight});
}

std::shared_ptr<const kernel::PanelMatrix> DecodingSession::panels(const kernel::Matrix& b,
                                                                   int rows) {
  if ((rows < 2 && is_direct_for_one_row()) || !b.transposed || b.stride != b.rows ||
      (arithmetic() == Arithmetic::fast && kernel::gemm_path() == kernel::GemmPath::openblas))
    return nullptr;
  const auto found = kept_.find(b.data);
  if (found == kept_.end()) return nullptr;
  Kept& kept = found->second;
  if (kept.weight.shape() != Shape{b.columns, b.rows}) return nullptr;
  const std::lock_guard lock(mutex_);
  if (!std::exchange(kept.used, true)) return nullptr;
  const std::uint32_t version = kept.weight.version();
  if (!kept.panels || kept.version != version)
    kept.panels = std::make_shared<kernel::PanelMatrix>(b);
  kept.version = version;
  return kept.panels;
}

}  // namespace xf
