#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <vector>

#include "ops/matmul/panel_order.hpp"
#include "ops/matmul/product_choice.hpp"
#include "ops/matmul/quantized.hpp"
#include "tensor/tensor.hpp"

namespace xf {

// Keeps weights in the order in which products read them, from one decoding step to the next.
// gemm() copies the weights into that order on every call; for few rows, as in a decoding step,
// that costs more than the product. While a session is alive, gemm() copies each of its weights
// only once. The copies take as much memory as the weights.
//
//   const DecodingSession session(weights(model));
//
// All threads share the copies. A session inside another one with the same weights keeps nothing of
// its own. A weight that is written to loses its copy, and is read as floats from then on. With
// int8 the copies have 8 bits, and their products are those of quantized.hpp.
enum class WeightPrecision { float32, int8 };

constexpr std::array<const char*, 2> names_of(WeightPrecision) { return {"float32", "int8"}; }

class DecodingSession {
 public:
  explicit DecodingSession(const std::vector<Tensor>& weights,
                           WeightPrecision precision = WeightPrecision::float32);
  ~DecodingSession();
  DecodingSession(const DecodingSession&) = delete;
  DecodingSession& operator=(const DecodingSession&) = delete;

 private:
  std::vector<Tensor> weights_;  // those that it keeps
};

namespace kernel {

// The Storage::form() of a weight W in a session: the panels or the bytes of B = W^T.
class KeptWeight {
 public:
  KeptWeight(const Tensor& w, WeightForm form) : w_(w.key()), shape_(w.shape()), form_(form) {}
  WeightForm form() const { return form_; }
  bool is_of(const Matrix& b) const { return b.transposed && shape_ == Shape{b.columns, b.rows}; }
  // Null on the first use, which may be the only one.
  const PanelMatrix* panels(const Matrix& b);
  const QuantizedMatrix* bytes(const Matrix& b);

 private:
  const Storage* w_;  // the storage whose form this is
  Shape shape_;
  WeightForm form_;
  std::mutex mutex_;
  bool used_ = false;
  std::unique_ptr<const PanelMatrix> panels_;
  std::unique_ptr<const QuantizedMatrix> bytes_;
};

// What a session keeps of B; null if it keeps nothing.
std::shared_ptr<KeptWeight> kept(const Matrix& b);

}  // namespace kernel

}  // namespace xf
