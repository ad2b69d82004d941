#pragma once

namespace xf::test {

// How many times as long as in a plain build a call may take, for the few tests of time.
#ifdef XF_SANITIZE
constexpr double slowdown = 10;
#else
constexpr double slowdown = 1;
#endif

}  // namespace xf::test
