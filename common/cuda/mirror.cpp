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

std::list<std::shared_ptr<Mirror>>& latest() {
  static auto* const latest =
      new std::list<std::shared_ptr<Mirror>>;  // never destroyed: the device may be gone
  return *latest;
}

}  // namespace

std::shared_ptr<const int> mirrored(std::span<const int> numbers) {
  auto& all = latest();
  const auto found = std::ranges::find_if(
      all, [&](const auto& one) { return std::ranges::equal(one->numbers, numbers); });
  if (found != all.end()) {
    all.splice(all.begin(), all, found);
  } else {
    all.push_front(std::make_shared<Mirror>(numbers));
    if (all.size() > kept) all.pop_back();
  }
  const std::shared_ptr<Mirror>& found_or_made = all.front();
  return {found_or_made, found_or_made->device.data()};
}

void forget_mirrored() { latest().clear(); }

}  // namespace xf::cuda
