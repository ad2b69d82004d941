#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "ops/matmul/panel_order.hpp"
#include "ops/matmul/product_choice.hpp"
#include "ops/matmul/quantized.hpp"
#include "tensor/tensor.hpp"

namespace xf {

// Keeps the weights from step to step of decoding in the order in which products read them. gemm()
// copies the weights into that order at every call; for few rows, as in a decoding step, that
// costs more than the product. While a thread uses a session, gemm() copies each of the session's
// weights once. The copies take as much memory as the weights.
//
//   DecodingSession session(weights(model));
//   const DecodingSession::Use use(session);   // on each of the threads that share it
//
// A weight that has changed since is copied again. With int8 the copies have 8 bits, and their
// products are those of quantized.hpp.
enum class WeightPrecision { float32, int8 };

constexpr std::array<const char*, 2> names_of(WeightPrecision) { return {"float32", "int8"}; }

class DecodingSession {
 public:
  explicit DecodingSession(const std::vector<Tensor>& weights,
                           WeightPrecision precision = WeightPrecision::float32);

  class Use {
   public:
    explicit Use(DecodingSession& session);
    ~Use();  // the session that was used before is used again
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    DecodingSession* before_;
  };

  // The one that this thread uses, or null.
  static DecodingSession* active();

  // For gemm(), which asks product_choice.hpp whether to use one: the kind of copy that this
  // session keeps, and its copy of B = W^T. It is null where none is kept: for weights of less
  // than 2^14 numbers, which stay in the cache anyway; and for panels at the first use of a
  // weight, which may be the only one.
  kernel::KeptWeights kind() const;
  std::shared_ptr<const kernel::PanelMatrix> panels(const kernel::Matrix& b);
  std::shared_ptr<const kernel::QuantizedMatrix> quantized(const kernel::Matrix& b);

 private:
  struct Kept {
    Tensor weight;  // so that no other tensor can take its place in memory
    std::uint32_t version = 0;
    bool used = false;
    std::shared_ptr<const kernel::PanelMatrix> panels = nullptr;
    std::shared_ptr<const kernel::QuantizedMatrix> quantized = nullptr;
  };
  Kept* kept(const kernel::Matrix& b);

  WeightPrecision precision_;
  std::mutex mutex_;
  std::unordered_map<const void*, Kept> kept_;  // by W's address
};

}  // namespace xf
