#pragma once

#include "04_feed_forward/equations.hpp"
#include "05_encoder/encoder_layer.hpp"

// The equations of an encoder layer as they would be written in NumPy, for one sentence. Masks are
// matrices of ones (may attend) and zeros.
namespace xf::equations {

// gamma (x - mean) / sqrt(variance + eps) + beta, each row on its own.   x: (T, D)
inline Matrix layer_norm(const Matrix& x, const LayerNorm& norm) {
  const Vector mean = xt::mean(x, {1});                                   // (T)
  const Matrix centred = x - xt::view(mean, xt::all(), xt::newaxis());    // (T, D)
  const Vector variance = xt::mean(centred * centred, {1});               // (T)
  const Vector root = xt::sqrt(variance + norm.eps);                      // (T)
  const Vector gamma = to_xt<1>(norm.gamma), beta = to_xt<1>(norm.beta);  // (D)
  return gamma * centred / xt::view(root, xt::all(), xt::newaxis()) + beta;
}

// softmax(q k^T / sqrt(d_k)) v among the allowed keys.
//   q: (T, Dk)   k, v: (S, Dk)   mask: (T, S)   returns (T, Dk)
inline Matrix attention(const Matrix& q, const Matrix& k, const Matrix& v, const Matrix& mask) {
  const float root_dk = std::sqrt(static_cast<float>(q.shape(1)));
  const Matrix scores = xt::linalg::dot(q, xt::transpose(k)) / root_dk;  // (T, S)
  const Matrix e = mask * xt::exp(scores);                               // (T, S)
  const Vector total = xt::sum(e, {1});                                  // (T)
  const Matrix weights = e / xt::view(total, xt::all(), xt::newaxis());  // (T, S)
  return xt::linalg::dot(weights, v);
}

// Each head on its own columns, the results concatenated, then W^O.
//   x: (T, D), the queries   encoded: (S, D), keys and values   mask: (T, S)   returns (T, D)
inline Matrix multi_head(const Matrix& x, const Matrix& encoded, const Matrix& mask,
                         const MultiHeadAttention& layer) {
  const Matrix q = linear(x, layer.w_q), k = linear(encoded, layer.w_k),
               v = linear(encoded, layer.w_v);
  const std::size_t dk = q.shape(1) / static_cast<std::size_t>(layer.heads);
  Matrix joined = xt::zeros<float>({q.shape(0), q.shape(1)});  // (T, D)
  for (std::size_t first = 0; first < q.shape(1); first += dk) {
    const auto columns = [&](const Matrix& all) -> Matrix {
      return xt::view(all, xt::all(), xt::range(first, first + dk));
    };
    xt::view(joined, xt::all(), xt::range(first, first + dk)) =
        attention(columns(q), columns(k), columns(v), mask);
  }
  return linear(joined, layer.w_o);
}

//   x: (T, D)   mask: (T, T)   returns (T, D)
inline Matrix encoder_layer(const Matrix& x, const Matrix& mask, const EncoderLayer& layer) {
  const LayerNorm& norm_1 = layer.self_attention_norm;
  const LayerNorm& norm_2 = layer.feed_forward_norm;
  if (layer.order == NormOrder::post) {
    const Matrix y = layer_norm(x + multi_head(x, x, mask, layer.self_attention), norm_1);
    return layer_norm(y + feed_forward(y, layer.feed_forward), norm_2);
  }
  const Matrix h = layer_norm(x, norm_1);
  const Matrix y = x + multi_head(h, h, mask, layer.self_attention);
  return y + feed_forward(layer_norm(y, norm_2), layer.feed_forward);
}

}  // namespace xf::equations
