#pragma once

// What the kernels of an exercise and their tests use, in addition to kit.hpp: the emulated GPU.

#include <concepts>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "cuda/device_memory.hpp"
#include "cuda/launch.hpp"
#include "cuda/watcher.hpp"
#include "support/kit.hpp"
#include "support/once.hpp"

namespace xf::exercise {

// Device memory that holds these numbers.
struct OnDevice : cuda::Buffer<float> {
  explicit OnDevice(const std::vector<float>& numbers) : Buffer(numbers.size()) {
    cuda::copy_to_device(data(), numbers.data(), numbers.size() * sizeof(float));
  }
};

// During its lifetime, lane l of a warp finds in x, rows of `columns` numbers, only the numbers l,
// l + 32 ... of each row, and NaN for the others: one lane cannot do the work of all.
class OwnNumbers : public emulator::Watcher {
 public:
  OwnNumbers(OnDevice& x, const std::vector<float>& numbers, int columns)
      : x_(x.data()), numbers_(numbers), columns_(static_cast<std::size_t>(columns)) {
    emulator::watcher = this;
  }
  ~OwnNumbers() override { emulator::watcher = nullptr; }

 private:
  void thread_runs(std::size_t thread) override {
    for (std::size_t i = 0; i < numbers_.size(); ++i)
      x_[i] =
          i % columns_ % 32 == thread % 32 ? numbers_[i] : std::numeric_limits<float>::quiet_NaN();
  }

  float* x_;
  std::vector<float> numbers_;
  std::size_t columns_;
};

// Runs a call that works only on the device. Throws if over `most` bytes are copied back from it.
template <std::invocable Call>
auto on_the_device(std::size_t most, const Call& call) {
  const std::size_t before = cuda::traffic().bytes_to_host;
  const auto check = [&] {
    const std::size_t bytes = cuda::traffic().bytes_to_host - before;
    if (bytes > most)
      throw std::runtime_error(std::to_string(bytes) + " bytes were copied to the host, " +
                               std::to_string(most) + " may be");
  };
  if constexpr (std::is_void_v<std::invoke_result_t<const Call&>>) {
    call();
    check();
  } else {
    auto result = call();
    check();
    return result;
  }
}

// The results of `run` with its threads and blocks in `schedules` different orders, concatenated.
// Uninitialised memory holds 1e30 in a third of the orders, NaN in another, -1e30 in the last.
template <std::invocable Run>
Tensor in_orders(int schedules, const Run& run) {
  std::vector<float> all;
  for (int seed = 0; seed < schedules; ++seed) {
    emulator::set_schedule(salted(static_cast<std::uint64_t>(seed)));
    const std::vector<float> numbers = run();
    cuda::check_ends_of_blocks();
    all.insert(all.end(), numbers.begin(), numbers.end());
  }
  const int count = static_cast<int>(all.size());
  return Tensor::from({schedules, count / schedules}, all);
}

// The same numbers for each order.
inline Tensor in_orders(int schedules, const std::vector<float>& numbers) {
  std::vector<float> all;
  for (int i = 0; i < schedules; ++i) all.insert(all.end(), numbers.begin(), numbers.end());
  return Tensor::from({schedules, static_cast<int>(numbers.size())}, all);
}

}  // namespace xf::exercise
