#include <cmath>

#include "support/devices.hpp"
#include "train/adam.hpp"

namespace xf::test {

namespace {

// Two parameters after three steps of Adam with the gradients of two shards.
struct Steps {
  std::vector<Tensor> parameters;
  std::vector<double> norms;
};

Steps steps_on(Device device, double longest, const AdamOptions& options) {
  Tensor w = parameter(random({70, 300}, 1).to(device)), b = parameter(random({5}, 2).to(device));
  const std::vector<NamedParameter> list{{"w", &w}, {"b", &b}};
  Adam adam(list, options);
  Steps found;
  for (int step = 0; step < 3; ++step) {
    std::vector<Gradients> shards(2);
    for (std::uint64_t shard = 0; shard < 2; ++shard) {
      Tape tape;
      const Tensor loss = weighted_sum(w, random({70, 300}, 10 + shard).to(device));
      tape.backward(loss, shards[shard]);
      if (shard > 0) continue;
      Tape second;
      second.backward(weighted_sum(b, random({5}, 20).to(device)), shards[shard]);
    }
    GradientSums sums = sum_of(list, shards);
    found.norms.push_back(clip(sums, longest));
    adam.step(sums, 0.01);
  }
  for (const auto& [name, tensor] : adam.state())
    found.parameters.push_back(tensor.to(Device::cpu));
  found.parameters.push_back(w.to(Device::cpu));
  found.parameters.push_back(b.to(Device::cpu));
  return found;
}

}  // namespace

TEST_CASE("cuda: Adam, clipped and decayed") {
  for (const double longest : {0.0, 0.5}) {
    const AdamOptions options{.weight_decay = longest / 5};
    const Steps want = steps_on(Device::cpu, longest, options);
    under_schedules([&] {
      const Steps got = steps_on(Device::cuda, longest, options);
      // The CPU adds up to 2^15 squares in float, one after the other: the rounding of each is
      // 2^-24 of the sum at most, together about 2^7.5 times that.
      for (std::size_t i = 0; i < want.norms.size(); ++i)
        CHECK(got.norms[i] == doctest::Approx(want.norms[i]).epsilon(std::exp2(-16.5)));
      for (std::size_t i = 0; i < want.parameters.size(); ++i)
        expect_close("parameter", got.parameters[i], want.parameters[i]);
    });
  }
}

TEST_CASE("cuda: gradients whose squares no float has are clipped") {
  for (const float size : {3e19f, 1e-25f}) {  // the CPU takes the small ones as 0
    const auto stepped = [size](Device device) {
      Tensor w = parameter(random({5}, 1).to(device));
      Tape tape;
      Gradients gradients = tape.backward(weighted_sum(w, Tensor::full({5}, size, device)));
      GradientSums sums = sum_of({{"w", &w}}, gradients);
      const double norm = clip(sums, 0.5);
      if (norm > 0.5) CHECK(sums.scale * norm == doctest::Approx(0.5));
      return norm;
    };
    CHECK(stepped(Device::cuda) == doctest::Approx(std::sqrt(5) * double{size}));
    if (size > 1) CHECK(stepped(Device::cpu) == stepped(Device::cuda));
  }
}

TEST_CASE("cuda: Adam over more parameters than one table holds, short and long") {
  for (int longest : {70000, 70}) {
    const auto stepped = [longest](Device device) {
      std::vector<Tensor> tensors;
      for (int i = 0; i < 200; ++i)
        tensors.push_back(
            parameter(random(Shape{i == 40 ? longest : 1 + i % 7}, std::uint64_t(i)).to(device)));
      std::vector<NamedParameter> named;
      for (Tensor& tensor : tensors) named.push_back({"p", &tensor});
      Adam adam(named);
      Gradients gradients;
      for (std::size_t i = 0; i < tensors.size(); ++i) {
        Tape tape;
        const Tensor upstream = random(tensors[i].shape(), 100 + i).to(device);
        if (i % 9 != 2) tape.backward(weighted_sum(tensors[i], upstream), gradients);
      }
      GradientSums sums = sum_of(named, gradients);
      clip(sums, 1);
      adam.step(sums, 0.01);
      std::vector<Tensor> found;
      for (const Tensor& tensor : tensors) found.push_back(tensor.to(Device::cpu));
      return found;
    };
    const std::vector<Tensor> want = stepped(Device::cpu);
    under_schedules([&] {
      const std::vector<Tensor> got = stepped(Device::cuda);
      for (std::size_t i = 0; i < want.size(); ++i) expect_close("parameter", got[i], want[i]);
    });
  }
}

TEST_CASE("cuda: Adam names the parameter whose gradient is not finite, and changes nothing") {
  Tensor w = parameter(random({3, 4}, 1).to(Device::cuda));
  const Tensor before = w.clone();
  Adam adam({{"the weight", &w}});
  Gradients gradients;
  Tape tape;
  Tensor upstream = random({3, 4}, 2);
  copy_into(upstream, {NAN}, 5);
  tape.backward(weighted_sum(w, upstream.to(Device::cuda)), gradients);
  CHECK_THROWS_WITH_AS(adam.step(gradients, 0.1), "the gradient of the weight is not finite",
                       std::runtime_error);
  expect_same("w", w.to(Device::cpu), before.to(Device::cpu));
}

TEST_CASE("cuda: tensors are filled, copied, read and written on the device") {
  Tensor x = Tensor::full({3, 100}, 2.5f, Device::cuda);
  expect_same("full", x.to(Device::cpu), Tensor::full({3, 100}, 2.5f));
  const Tensor copy = x.clone();
  copy_into(x, {1, 2, 3}, 298 - 1);
  CHECK(x.values()[296] == 2.5f);
  CHECK(x.values()[299] == 3);
  CHECK(copy.values()[299] == 2.5f);
  accumulate_into(x, copy);
  CHECK(x.values()[299] == 5.5f);
  CHECK(Tensor::full({}, 4, Device::cuda).item() == 4);
  CHECK(error_of([&] { x.data(Cpu{}); }) ==
        "device: expected a tensor on cpu, not (3, 100) on " + name(Device::cuda));
}

}  // namespace xf::test
