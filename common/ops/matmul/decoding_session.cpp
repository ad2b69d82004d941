#include "ops/matmul/decoding_session.hpp"

#include <utility>

#include "tensor/device.hpp"

namespace xf {

namespace {

thread_local DecodingSession* used = nullptr;

constexpr std::ptrdiff_t min_size = 1 << 14;

// Weights that stay as a file has them are kept in 8 bits, but not as float32 beside it.
const void* place_of(const Tensor& weight, WeightPrecision precision) {
  const StoredRows* const rows = weight.stored();
  if (!rows) return weight.values().data();
  return precision == WeightPrecision::int8 ? rows->first : nullptr;
}

}  // namespace

DecodingSession::Use::Use(DecodingSession& session) : before_(std::exchange(used, &session)) {}
DecodingSession::Use::~Use() { used = before_; }

DecodingSession* DecodingSession::active() { return used; }

DecodingSession::DecodingSession(const std::vector<Tensor>& weights, WeightPrecision precision)
    : precision_(precision) {
  for (const Tensor& weight : weights)
    if (weight.rank() == 2 && weight.count() >= min_size && weight.device() == Device::cpu)
      if (const void* const place = place_of(weight, precision))
        kept_.try_emplace(place, Kept{.weight = weight});
}

// Whole weights only, as they are multiplied: B = W^T.
DecodingSession::Kept* DecodingSession::kept(const kernel::Matrix& b) {
  if (!b.transposed || b.stride != b.rows) return nullptr;
  const auto found =
      kept_.find(b.stored.format ? static_cast<const void*>(b.stored.first) : b.data);
  if (found == kept_.end() || found->second.weight.shape() != Shape{b.columns, b.rows})
    return nullptr;
  return &found->second;
}

kernel::KeptWeights DecodingSession::kind() const {
  return precision_ == WeightPrecision::int8 ? kernel::KeptWeights::eight_bits
                                             : kernel::KeptWeights::panels;
}

std::shared_ptr<const kernel::PanelMatrix> DecodingSession::panels(const kernel::Matrix& b) {
  Kept* const weight = kept(b);
  if (!weight) return nullptr;
  const std::lock_guard lock(mutex_);
  if (!std::exchange(weight->used, true)) return nullptr;
  const std::uint32_t version = weight->weight.version();
  if (!weight->panels || weight->version != version)
    weight->panels = std::make_shared<kernel::PanelMatrix>(b);
  weight->version = version;
  return weight->panels;
}

std::shared_ptr<const kernel::QuantizedMatrix> DecodingSession::quantized(const kernel::Matrix& b) {
  if (precision_ != WeightPrecision::int8) return nullptr;
  Kept* const weight = kept(b);
  if (!weight) return nullptr;
  const std::lock_guard lock(mutex_);
  const std::uint32_t version = weight->weight.version();
  if (!weight->quantized || weight->version != version) {
    weight->quantized = std::make_shared<kernel::QuantizedMatrix>(b);
    weight->weight.rest();
  }
  weight->version = version;
  return weight->quantized;
}

}  // namespace xf
