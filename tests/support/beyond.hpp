#pragma once

#include <doctest/doctest.h>

#include <limits>
#include <vector>

#include "cuda/device_memory.hpp"
#include "cuda/emulator.hpp"
#include "support/devices.hpp"
#include "support/sanitized.hpp"

// More than 65535, where a grid's y and z end; and more than 2^31, where an index of 32 bits ends:
// the device's memory is addresses, of which only what is touched is there, and of each grid only
// the last block runs.
namespace xf::test {

using cuda::Buffer, cuda::copy_to_device, cuda::copy_to_host;

constexpr std::ptrdiff_t limit = std::numeric_limits<std::int32_t>::max();

// Numbers of the host, on the device.
template <class T>
struct Sent : Buffer<T> {
  explicit Sent(const std::vector<T>& x) : Buffer<T>(x.size()) {
    copy_to_device(this->data(), x.data(), x.size() * sizeof(T));
  }
};

// Of an array of so many numbers, the last ones.
class Tail {
 public:
  explicit Tail(std::ptrdiff_t count) : count_(count), all_(static_cast<std::size_t>(count)) {
    REQUIRE(count > limit);
  }
  Tail(std::ptrdiff_t count, const std::vector<float>& last) : Tail(count) {
    copy_to_device(all_.data() + count - std::ssize(last), last.data(),
                   last.size() * sizeof(float));
  }

  float* all() { return all_.data(); }
  std::vector<float> last(std::size_t size) {
    std::vector<float> numbers(size);
    copy_to_host(numbers.data(), all_.data() + count_ - std::ssize(numbers), size * sizeof(float));
    return numbers;
  }

 private:
  std::ptrdiff_t count_;
  Buffer<float> all_;
};

inline std::vector<float> numbers(const Tensor& x) {
  return {x.values().begin(), x.values().end()};
}
inline std::vector<float> numbers(int count, std::uint64_t seed) {
  return numbers(random_leaf({1, count}, seed));
}
inline Tensor row(const std::vector<float>& x) {
  return Tensor::from({1, static_cast<int>(x.size())}, x);
}

inline void expect_numbers(const std::vector<float>& got, const std::vector<float>& want) {
  REQUIRE(got.size() == want.size());
  for (std::size_t i = 0; i < want.size(); ++i)
    CHECK(got[i] == doctest::Approx(want[i]).epsilon(1e-5));
}

struct LastBlock {
  LastBlock() { emulator::run_last_blocks(1); }
  ~LastBlock() { emulator::run_last_blocks(0); }
};

inline bool has_room() { return slowdown == 1; }  // a sanitizer has a shadow of every byte

}  // namespace xf::test
