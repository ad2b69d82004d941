#include "cuda/mirror.hpp"

#include <algorithm>
#include <list>
#include <memory>
#include <vector>

#include "cuda/device_memory.hpp"

namespace xf::cuda {

namespace {

constexpr std::size_t kept = 64;

struct Mirror {
  std::vector<int> numbers;
  Buffer<int> device;

  explicit Mirror(std::span<const int> from)
      : numbers(from.begin(), from.end()), device(from.size()) {
    copy_to_device(device.data(), numbers.data(), numbers.size() * sizeof(int));
  }
};

}  // namespace

const int* mirrored(std::span<const int> numbers) {
  static auto* const latest = new std::list<Mirror>;  // never destroyed: the device may be gone
  const auto found = std::ranges::find_if(
      *latest, [&](const Mirror& one) { return std::ranges::equal(one.numbers, numbers); });
  if (found != latest->end()) {
    latest->splice(latest->begin(), *latest, found);
  } else {
    latest->emplace_front(numbers);
    if (latest->size() > kept) latest->pop_back();
  }
  return latest->front().device.data();
}

}  // namespace xf::cuda
