#pragma once

#include <cstdint>
#include <vector>

namespace xf::watch {

// Numbers the places in the code that accesses and branches come from: 1, 2, 3 ...
class Sites {
 public:
  std::uint32_t number(const void* site) {
    const auto address = reinterpret_cast<std::uintptr_t>(site);
    for (std::size_t at = address * 0x9e3779b97f4a7c15ull >> 48;; at = (at + 1) % places_.size()) {
      Place& place = places_[at];
      if (place.site == site) return place.number;
      if (place.site) continue;
      place = {site, ++count_};
      return count_;
    }
  }

 private:
  struct Place {
    const void* site = nullptr;
    std::uint32_t number = 0;
  };
  std::vector<Place> places_ = std::vector<Place>(1 << 16);
  std::uint32_t count_ = 0;
};

}  // namespace xf::watch
