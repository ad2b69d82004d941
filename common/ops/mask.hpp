#pragma once

#include <memory>
#include <variant>
#include <vector>

#include "tensor/tensor.hpp"

namespace xf {

// Sentences packed end to end in one row of N positions, instead of one padded row each: sentence i
// occupies positions starts[i] ... starts[i + 1] - 1, and the last start is N. A query attends to
// the keys of its own sentence: a block-diagonal mask.
struct Packing {
  std::vector<int> queries, keys;  // starts; the same number of both
  bool causal = false;             // query t of a sentence sees its keys 0 ... t only
};

// Which keys each query may attend to: all; those that a matrix allows; or, among packed
// sentences, those of its own sentence.
class Mask {
 public:
  Mask() = default;  // every key
  // 1 = may, 0 = may not.   allowed: (B|1, T|1, S); an axis of size 1 stands for all
  Mask(Ids allowed);
  // The queries are one row (1, N), the keys another (1, M). Throws std::invalid_argument for
  // invalid starts.
  Mask(Packing sentences);

  // Does it forbid anything? Otherwise every query may attend to every key.
  bool defined() const { return !std::holds_alternative<std::monostate>(kind_); }
  // The packed sentences; null for any other mask.
  const Packing* packing() const;
  // As numbers (B|1, T|1, S): the blocks of packed sentences are expanded to (1, N, M). Undefined
  // if every key is allowed.
  Ids allowed() const;

 private:
  std::variant<std::monostate, Ids, std::shared_ptr<const Packing>> kind_;
};

}  // namespace xf
