#pragma once

#include "common/text/byte_merges.hpp"

namespace xf::mine {

// Also keeps the merges in the form that the exercise uses.
class ByteMerges : public xf::ByteMerges {
 public:
  using xf::ByteMerges::ByteMerges;
  void add(std::string_view left, std::string_view right);
  void finish();
  std::vector<int> encode(std::string_view piece) const;
  static std::string bytes(std::string_view written);

 private:
  std::string lines_;         // "left right\n" for each merge
  std::vector<Pair> merges_;  // the same in the form that the part uses
};

}  // namespace xf::mine

#define ByteMerges mine::ByteMerges
