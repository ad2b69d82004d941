#pragma once

#include <set>
#include <utility>
#include <vector>

#include "09_since_2017/decoder_only.hpp"

namespace xf::since_2017 {

// The path of a text through a model, layer by layer. Every layer adds the outputs of its heads and
// its feed-forward network to one sum, the residual stream (Elhage et al. 2021).
class LayerWalk {
 public:
  LayerWalk(const DecoderOnly& model, const std::vector<int>& ids);

  // The residual stream before layer i, and for i = L after the last one.   returns (1, T, D)
  const Tensor& stream(int i) const { return streams_[static_cast<std::size_t>(i)]; }
  // The attention of layer i.   returns (1, H, T, T)
  const Tensor& weights(int i) const { return weights_[static_cast<std::size_t>(i)]; }

  // The indices of a layer and of a head in it, both from 0.
  using Head = std::pair<int, int>;
  // The stream after the last layer without the contribution of these heads: their part of the
  // input of W^O is replaced by zeros.   returns (1, T, D)
  Tensor without(const std::set<Head>& heads) const;

 private:
  const DecoderOnly& model_;
  Tensor turns_;  // (T, Dk), or undefined
  std::vector<Tensor> streams_, weights_;
};

}  // namespace xf::since_2017
