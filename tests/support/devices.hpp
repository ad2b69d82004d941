#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cuda/device_memory.hpp"
#ifdef XF_EMULATOR
#include "cuda/emulator.hpp"
#endif
#include "ops/dropout/dropout.hpp"
#include "ops/mask.hpp"
#include "support/grad_check.hpp"

namespace xf::test {

// While it is alive, tensors are born on this device.
struct BornOn {
  explicit BornOn(Device device) { set_default_device(device); }
  ~BornOn() { set_default_device(Device::cpu); }
};

inline Tensor random(const Shape& shape, std::uint64_t seed) {
  return detach(random_leaf(shape, seed));
}

inline Inputs moved_to(Device device, const Inputs& inputs) {
  Inputs there;
  for (const Tensor& input : inputs) there.push_back(input.to(device));
  return there;
}

// Queries, keys and values of packed sentences.
inline Inputs packed_inputs(const Packing& packing, int width) {
  return {random({1, packing.queries.back(), width}, 1), random({1, packing.keys.back(), width}, 2),
          random({1, packing.keys.back(), width}, 3)};
}

// What an op makes of its inputs on one device: y and the gradients, all as host values.
struct OnDevice {
  Tensor y;
  std::vector<Tensor> gradients;
};

using Op = std::function<Tensor(const Inputs& inputs)>;

inline OnDevice on_device(Device device, const Inputs& inputs, const Op& op) {
  Inputs there;
  for (const Tensor& input : inputs) there.push_back(parameter(input.clone().to(device)));
  const Training training(5);  // the same masks of dropout everywhere
  Tape tape;
  const Tensor y = op(there);
  REQUIRE(y.device() == device);
  const Tensor weights = detach(random_leaf(y.shape(), 77)).to(device);
  const Gradients gradients = tape.backward(weighted_sum(y, weights));
  OnDevice found{detach(y).to(Device::cpu), {}};
  for (const Tensor& input : there) {
    const Tensor& gradient = gradients.of(input);
    found.gradients.push_back(gradient.defined() ? gradient.to(Device::cpu) : Tensor());
  }
  return found;
}

#ifdef XF_WATCHED
inline int calls_under_schedules = 0;
#endif

// Runs body() under several orders of the emulator's threads, and looks behind the ends of the
// device's memory after each; on a GPU once. Where every access is watched, what only happens to be
// in order is found in any of them: there each call has the next one.
template <class Body>
void under_schedules(const Body& body, int schedules = 3) {
#ifdef XF_EMULATOR
  int first = 1;
#ifdef XF_WATCHED
  first = 1 + calls_under_schedules++ % schedules, schedules = first;
#endif
  for (int seed = first; seed <= schedules; ++seed) {
    CAPTURE(seed);
    emulator::set_schedule(static_cast<std::uint64_t>(seed));
    body();
    CHECK_NOTHROW(cuda::check_ends_of_blocks());
  }
#else
  if (schedules > 0) body();
#endif
}

// The op and its gradients on the device agree with the CPU's, under every schedule.
inline void expect_agreement(const std::string& what, const Inputs& inputs, const Op& op,
                             double tolerance = parity) {
  const OnDevice want = on_device(Device::cpu, inputs, op);
  under_schedules([&] {
    const OnDevice got = on_device(Device::cuda, inputs, op);
    expect_close(what, got.y, want.y, tolerance);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const std::string name = what + ", gradient " + std::to_string(i);
      if (want.gradients[i].defined() || got.gradients[i].defined())
        expect_close(name, got.gradients[i], want.gradients[i], tolerance);
    }
  });
}

}  // namespace xf::test
