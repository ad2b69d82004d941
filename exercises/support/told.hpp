#pragma once

#include <cstdint>

namespace xf::exercise {

// What `./learn` tells the tests, by variables of the environment. They are taken out of there, and
// overwritten, before anything of the learner's runs: the environment lies where any code can read.
struct Told {
  std::uint64_t salt = 0;    // XF_SALT: other inputs; 0 for those that everybody has
  std::uint64_t secret = 0;  // XF_SECRET: of the judge and the keeper alone
  int report = -1;           // XF_REPORT: the descriptor of the report
  int keeper = -1;           // XF_KEEPER: that of the line to the keeper
  int keeps = -1;            // XF_KEEPS: the same in the keeper
};
const Told& told();

}  // namespace xf::exercise
