#pragma once

#include <variant>

#include "03_layer_norm/layer_norm.hpp"
#include "09_since_2017/config.hpp"
#include "nn/linear.hpp"
#include "ops/rms_norm/rms_norm.hpp"

namespace xf {

// RmsNorm(x) = gamma * x / sqrt(mean(x^2) + eps), for each row of D features: layer norm without
// the mean and beta.                                           Zhang and Sennrich 2019, eq. 4
struct RmsNorm {
  Tensor gamma;  // (D), starts at 1
  float eps;

  // x: (..., D)   returns the shape of x
  Tensor operator()(const Tensor& x) const { return rms_norm(x, gamma, eps); }

  template <class Visitor>
  void visit(Visitor&& v) {
    v("gamma", gamma);
  }
};

// The norm of a model: one of these two.
struct DecoderNorm {
  std::variant<RmsNorm, LayerNorm> kind;

  DecoderNorm(const DecoderConfig& c, const std::string& name, const ParameterSource& source)
      : kind(RmsNorm{source(name + ".gamma", {c.d_model}), c.norm_eps}) {
    if (c.norm == NormKind::rms_norm) return;
    LayerNorm norm(c.d_model, c.norm_eps);
    norm.gamma = std::get<RmsNorm>(kind).gamma;
    norm.beta = source(name + ".beta", {c.d_model});
    kind = norm;
  }

  Tensor operator()(const Tensor& x) const {
    return std::visit([&](const auto& norm) { return norm(x); }, kind);
  }

  template <class Visitor>
  void visit(Visitor&& v) {
    std::visit([&](auto& norm) { norm.visit(v); }, kind);
  }
};

// A linear layer whose parameters come from `source`.   weight: (out, in)
inline Linear linear_from(const ParameterSource& source, const std::string& name, int in, int out,
                          bool with_bias) {
  const Tensor weight = source(name + ".weight", {out, in});
  return Linear(weight, with_bias ? source(name + ".bias", {out}) : Tensor());
}

}  // namespace xf
