#pragma once

#include "07_transformer/transformer.hpp"
#include "support/golden.hpp"

namespace xf::test {

// The two models of reference.py's MODELS, and its two batches.
struct Batch {
  Ids source, target, expected;
};

Batch golden_batch(const std::string& model, int i);
TransformerConfig golden_config(const std::string& model);
Transformer golden_model(const std::string& name);
Tensor loss_of(const Transformer& model, const Batch& batch);

}  // namespace xf::test
