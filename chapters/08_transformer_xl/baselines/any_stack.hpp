#pragma once

#include <variant>

#include "08_transformer_xl/baselines/lstm.hpp"
#include "08_transformer_xl/baselines/vanilla.hpp"
#include "08_transformer_xl/segment_model.hpp"

namespace xf {

// Transformer-XL or one of its baselines, depending on the config: one stack for programs that
// train, evaluate and compare all of them.
struct AnyStack {
  std::variant<TransformerXl, Vanilla, Lstm> kind;

  AnyStack(const TransformerXlConfig& config, Random& random) : kind(made(config, random)) {}

  template <class Kind>
  bool is() const {
    return std::holds_alternative<Kind>(kind);
  }
  template <class Kind>
  const Kind& as() const {
    return std::get<Kind>(kind);
  }

  // Only Transformer-XL can remember keys.
  static Memory start(const TransformerXlConfig& c, Remembered what) {
    if (c.kind == ModelKind::transformer_xl) return TransformerXl::start(c, what);
    return c.kind == ModelKind::lstm ? Lstm::start(c) : Vanilla::start(c);
  }
  static int memory_width(const TransformerXlConfig& c) {
    return c.kind == ModelKind::lstm ? Lstm::memory_width(c) : TransformerXl::memory_width(c);
  }

  // x: (B, T, D)   returns (B, T, D)
  Tensor operator()(const Tensor& x, Memory& memory) const {
    return std::visit([&](const auto& layers) { return layers(x, memory); }, kind);
  }

  template <class Visitor>
  void visit(Visitor&& v) {
    std::visit([&](auto& layers) { layers.visit(v); }, kind);
  }

 private:
  static std::variant<TransformerXl, Vanilla, Lstm> made(const TransformerXlConfig& config,
                                                         Random& random) {
    if (config.kind == ModelKind::transformer_xl) return TransformerXl(config, random);
    if (config.kind == ModelKind::lstm) return Lstm(config, random);
    return Vanilla(config, random);
  }
};

using AnySegmentModel = SegmentModel<AnyStack>;

// The config of a model of c's kind with as many parameters as Transformer-XL has with `c`.
inline TransformerXlConfig equal_parameters(const TransformerXlConfig& c) {
  return c.kind == ModelKind::lstm ? lstm_equal(c) : vanilla_equal(c);
}

}  // namespace xf
