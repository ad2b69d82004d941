#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "cuda/emulator.hpp"

namespace xf::watch {

// What the lanes of a warp read or write in one instruction.
struct WarpAccess {
  std::array<const void*, warpSize> places;
  unsigned lanes = 0;     // that take part
  std::size_t bytes = 0;  // of each lane
  bool write = false;

  std::uintptr_t place(std::size_t lane) const {
    return reinterpret_cast<std::uintptr_t>(places[lane]);
  }
  template <class Body>
  void each_lane(const Body& body) const {
    for (unsigned left = lanes; left != 0; left &= left - 1)
      body(static_cast<std::size_t>(std::countr_zero(left)));
  }
};

// How many segments of 128 bytes it touches.
inline long transactions(const WarpAccess& access) {
  constexpr std::uintptr_t segment = 128;
  std::array<std::uintptr_t, 4 * warpSize> found;
  std::size_t count = 0;
  access.each_lane([&](std::size_t lane) {
    const std::uintptr_t last = (access.place(lane) + access.bytes - 1) / segment;
    for (std::uintptr_t at = access.place(lane) / segment; at <= last; ++at) {
      std::size_t i = count;  // neighbours are likely in the same segment
      while (i > 0 && found[i - 1] != at) --i;
      if (i == 0 && count < found.size()) found[count++] = at;
    }
  });
  return static_cast<long>(count);
}

// Shared memory has 32 banks, each 4 bytes wide: different words in the same bank are fetched one
// after the other. Accesses of 8 bytes per lane are made by half a warp at a time, those of 16
// bytes by a quarter. Returns the number of extra passes that conflicts cost.
inline long bank_conflicts(const WarpAccess& access) {
  constexpr std::size_t banks = 32, word = 4;
  const std::size_t words = (access.bytes + word - 1) / word;
  const std::size_t together = words <= 1 ? warpSize : words == 2 ? warpSize / 2 : warpSize / 4;
  long conflicts = 0;
  for (std::size_t first = 0; first < warpSize; first += together) {
    std::array<std::array<std::uintptr_t, warpSize>, banks> found;
    std::array<std::size_t, banks> counts{};
    access.each_lane([&](std::size_t lane) {
      if (lane < first || lane >= first + together) return;
      for (std::size_t w = 0; w < words; ++w) {
        const std::uintptr_t at = access.place(lane) / word + w;
        auto& of_bank = found[at % banks];
        std::size_t& count = counts[at % banks];
        std::size_t i = count;
        while (i > 0 && of_bank[i - 1] != at) --i;
        if (i == 0 && count < warpSize) of_bank[count++] = at;
      }
    });
    std::size_t most = 1;
    for (const std::size_t count : counts) most = count > most ? count : most;
    conflicts += static_cast<long>(most) - 1;
  }
  return conflicts;
}

}  // namespace xf::watch
