#pragma once

// For kernels whose every memory access is watched: includes no more than they need, because the
// hooks rule out the precompiled header.

#include "cuda/launch.hpp"
#include "support/checks.hpp"
