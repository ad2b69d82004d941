#pragma once

#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "ops/matmul/panel_order.hpp"
#include "tensor/tensor.hpp"

namespace xf {

// What a text's decoding keeps from step to step besides the model: its weights in the order in
// which products read them. gemm() copies the weights into that order at every call; for few rows,
// as in a step of decoding, that costs more than the product. While a thread uses a session,
// gemm() copies each of the session's weights once. That takes as much memory again as they do.
//
//   DecodingSession session(weights(model));
//   const DecodingSession::Use use(session);   // on each of the threads that share it
//
// A weight that has changed since is copied anew.
class DecodingSession {
 public:
  explicit DecodingSession(const std::vector<Tensor>& weights);

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

  // For gemm(): the copy of B = W^T, or null where none is kept. That is so for products of one row
  // in `fast` arithmetic, which are as fast without it, for smaller weights, which stay in the
  // cache anyway, and at the first use of a weight, which may be the only one.
  std::shared_ptr<const kernel::PanelMatrix> panels(const kernel::Matrix& b, int rows);

 private:
  struct Kept {
    Tensor weight;  // so that nothing else can take its place in memory
    std::uint32_t version = 0;
    bool used = false;
    std::shared_ptr<const kernel::PanelMatrix> panels = nullptr;
  };

  std::mutex mutex_;
  std::unordered_map<const float*, Kept> kept_;  // by where W lies
};

}  // namespace xf
