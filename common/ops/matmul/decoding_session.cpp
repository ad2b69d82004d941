#include "ops/matmul/decoding_session.hpp"

#include <utility>

#include "tensor/device.hpp"

namespace xf {

namespace {

std::mutex forms;  // a session may end on one thread while another one multiplies

// Smaller weights stay in the cache anyway.
constexpr std::ptrdiff_t min_size = 1 << 14;

// Weights used in their file's format may get a copy in 8 bits, but none in float32.
bool is_worth_keeping(const Tensor& weight, WeightPrecision precision) {
  return weight.rank() == 2 && weight.count() >= min_size && weight.device() == Device::cpu &&
         (!weight.stored() || precision == WeightPrecision::int8);
}

}  // namespace

DecodingSession::DecodingSession(const std::vector<Tensor>& weights, WeightPrecision precision) {
  using kernel::WeightForm;
  const auto form =
      precision == WeightPrecision::int8 ? WeightForm::eight_bits : WeightForm::panels;
  const std::lock_guard lock(forms);
  for (const Tensor& weight : weights) {
    if (!is_worth_keeping(weight, precision) || weight.form()) continue;
    weight.form() = std::make_shared<kernel::KeptWeight>(weight, form);
    weights_.push_back(weight);
  }
}

DecodingSession::~DecodingSession() {
  const std::lock_guard lock(forms);
  for (const Tensor& weight : weights_) weight.form() = nullptr;
}

std::shared_ptr<kernel::KeptWeight> kernel::kept(const Matrix& b) {
  if (!b.form) return nullptr;
  const std::lock_guard lock(forms);
  auto weight = std::static_pointer_cast<KeptWeight>(*b.form);
  return weight && weight->is_of(b) ? weight : nullptr;
}

const kernel::PanelMatrix* kernel::KeptWeight::panels(const Matrix& b) {
  const std::lock_guard lock(mutex_);
  if (!std::exchange(used_, true)) return nullptr;
  if (!panels_) panels_ = std::make_unique<PanelMatrix>(b);
  return panels_.get();
}

const kernel::QuantizedMatrix* kernel::KeptWeight::bytes(const Matrix& b) {
  const std::lock_guard lock(mutex_);
  if (!bytes_) {
    bytes_ = std::make_unique<QuantizedMatrix>(b);
    w_->rest();
  }
  return bytes_.get();
}

}  // namespace xf
