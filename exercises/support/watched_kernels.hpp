#pragma once

// What kernels are written with whose every access to memory is watched: no more than they need,
// because the hooks keep them from using the precompiled header.

#include "cuda/launch.hpp"
#include "support/checks.hpp"
