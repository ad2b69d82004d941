#pragma once

#include "common/text/byte_merges.hpp"

namespace xf::mine {

// Keeps the merges as well, as the exercise wants them.
class ByteMerges : public xf::ByteMerges {
 public:
  using xf::ByteMerges::ByteMerges;
  void add(std::string_view left, std::string_view right);
  void finish();
  std::vector<int> encode(std::string_view piece) const;
  static std::string bytes(std::string_view written);

 private:
  std::string lines_;         // "left right\n" for each
  std::vector<Pair> merges_;  // what the part reads of them
};

}  // namespace xf::mine

#define ByteMerges mine::ByteMerges
