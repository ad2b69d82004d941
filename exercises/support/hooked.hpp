#pragma once

// Included before every file that is compiled with hooks (HOOKED in tools/exercises/build.py), so
// that no memory access bypasses them. Functions that move whole blocks have hooks, too
// (hooked.cpp), and no part of the file is compiled without them.

#include <cstddef>

extern "C" {
void* memcpy(void* to, const void* from, std::size_t bytes) noexcept asm("xf_memcpy");
void* memmove(void* to, const void* from, std::size_t bytes) noexcept asm("xf_memmove");
void* memset(void* to, int byte, std::size_t bytes) noexcept asm("xf_memset");
int memcmp(const void* a, const void* b, std::size_t bytes) noexcept asm("xf_memcmp");
}

#pragma GCC poison no_sanitize __no_sanitize__ no_sanitize_thread __no_sanitize_thread__
#pragma GCC poison __builtin_apply __builtin_apply_args __builtin_return
