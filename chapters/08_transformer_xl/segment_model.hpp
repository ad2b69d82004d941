#pragma once

#include <variant>

#include "08_transformer_xl/vanilla.hpp"

namespace xf {

// A language model of any kind, which reads a text segment by segment: one set of calls for all.
struct SegmentModel {
  std::variant<TransformerXl, Vanilla> any;

  // The kind is the config's. Throws UserError for a config that makes no model.
  SegmentModel(const TransformerXlConfig& settings, Random& random)
      : any(make(checked(settings), random)) {}

  const TransformerXlConfig& config() const {
    return std::visit([](const auto& m) -> const TransformerXlConfig& { return m.config; }, any);
  }
  const AdaptiveSoftmax& output() const {
    return std::visit([](const auto& m) -> const AdaptiveSoftmax& { return m.output; }, any);
  }

  // Other lengths than those of the training: they touch no parameter.
  void set_lengths(int segment, int memory, int extended) {
    std::visit(
        [&](auto& m) {
          m.config.segment = segment;
          m.config.memory = memory;
          m.config.extended = extended;
        },
        any);
  }

  // Of whole words, while training (word_dropout.hpp).
  void set_embedding_dropout(float rate) {
    std::visit([&](auto& m) { m.embedding_dropout = rate; }, any);
  }

  Memory start() const {
    return std::visit([](const auto& m) { return m.start(); }, any);
  }
  // ids: (B, T)   returns (B, T, D); the memory moves on
  Tensor hidden(const Ids& ids, Memory& memory) const {
    return std::visit([&](const auto& m) { return m.hidden(ids, memory); }, any);
  }
  // ids: (B, T)   returns logits (B, T, V)
  Tensor operator()(const Ids& ids, Memory& memory) const {
    return std::visit([&](const auto& m) { return m(ids, memory); }, any);
  }
  // ids: (B, T)   expected: (B, T') with T' <= T   returns a scalar
  Tensor loss(const Ids& ids, const Ids& expected, Memory& memory,
              const CrossEntropyOptions& options = {}) const {
    return std::visit([&](const auto& m) { return m.loss(ids, expected, memory, options); }, any);
  }

  template <class Visitor>
  void visit(Visitor&& v) {
    std::visit([&](auto& m) { m.visit(v); }, any);
  }

 private:
  static std::variant<TransformerXl, Vanilla> make(const TransformerXlConfig& settings,
                                                   Random& random) {
    if (settings.kind == ModelKind::transformer_xl) return TransformerXl(settings, random);
    return Vanilla(settings, random);
  }
};

}  // namespace xf
