#include "ops/linear/decoding_session.hpp"

#include <utility>

#include "autograd/tape.hpp"

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

std::shared_ptr<const kernel::PanelMatrix> DecodingSession::panels(const Tensor& weight, int rows) {
  if ((rows < 2 && is_direct_for_one_row()) || !weight.leaf || weight.count() < least_size ||
      Tape::active() || weight.device() != Device::cpu ||
      (arithmetic() == Arithmetic::fast && kernel::gemm_path() == kernel::GemmPath::openblas))
    return nullptr;
  const std::lock_guard lock(mutex_);
  const std::uint32_t version = weight.version();
  const auto [found, first_use] = kept_.try_emplace(weight.key(), Kept{weight, version, nullptr});
  if (first_use) return nullptr;
  Kept& kept = found->second;
  if (!kept.panels || kept.version != version)
    kept.panels = std::make_shared<kernel::PanelMatrix>(weight);
  kept.version = version;
  return kept.panels;
}

}  // namespace xf
