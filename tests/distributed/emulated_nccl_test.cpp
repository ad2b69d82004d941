#include <doctest/doctest.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cuda/device_memory.hpp"
#include "distributed/emulated_nccl/nccl.h"
#include "distributed/mailboxes.hpp"
#include "distributed/nccl.hpp"
#include "support/errors.hpp"

namespace xf::test {

namespace {

// body(endpoint) on so many processes, between which NCCL's stand-in adds up.
void run_with_nccl(int ranks, const std::function<void(Endpoint&)>& body) {
  run_threads_as_processes(ranks, [&](Endpoint& self) {
    connect_emulated_nccl(&self);
    body(self);
    connect_emulated_nccl(nullptr);
  });
}

std::string refused(const std::function<void()>& work) { return error_of<cuda::DeviceError>(work); }

}  // namespace

TEST_CASE("NCCL: what lies on the devices of all processes is added up where it lies") {
  for (const int ranks : {1, 2, 3, 4})
    run_with_nccl(ranks, [&](Endpoint& self) {
      const std::unique_ptr<DeviceSums> devices = join_devices(self);
      for (int step = 0; step < 2; ++step) {
        std::optional<cuda::Buffer<float>> x, y;
        {
          const auto lock = emulated_device();
          x.emplace(5);
          y.emplace(1);
          const std::vector<float> first(5, float(self.rank() + 1)), second(1, float(step));
          cuda::copy_to_device(x->data(), first.data(), 5 * sizeof(float));
          cuda::copy_to_device(y->data(), second.data(), sizeof(float));
        }
        const DeviceSums::Numbers all[] = {{x->data(), 5}, {y->data(), 1}};
        devices->add_up(all);
        const auto lock = emulated_device();
        CHECK(x->values() == std::vector<float>(5, float(ranks * (ranks + 1) / 2)));
        CHECK(y->values() == std::vector<float>(1, float(step * ranks)));
        x.reset();
        y.reset();
      }
    });
}

TEST_CASE("NCCL: memory of the host is refused, in one line that names NCCL") {
  run_with_nccl(1, [&](Endpoint& self) {
    const std::unique_ptr<DeviceSums> devices = join_devices(self);
    float x = 1;
    const DeviceSums::Numbers all[] = {{&x, 1}};
    CHECK(refused([&] { devices->add_up(all); }) == "cuda: NCCL: invalid argument");
  });
}

TEST_CASE("NCCL: what failed behind one's back is an error at the next sum") {
  run_with_nccl(1, [&](Endpoint& self) {
    const std::unique_ptr<DeviceSums> devices = join_devices(self);
    cuda::Buffer<float> x(5);
    const DeviceSums::Numbers all[] = {{x.data(), 5}};
    for (const bool fails : {true, false}) {
      fail_emulated_nccl(fails ? ncclRemoteError : ncclInProgress);
      const std::string said = refused([&] { devices->add_up(all); });
      CHECK(said ==
            (fails ? "cuda: NCCL: remote process exited or there was a network error" : ""));
    }
    fail_emulated_nccl(ncclSuccess);
  });
}

TEST_CASE("NCCL's stand-in is strict: a sum ends with its block of memory") {
  run_with_nccl(1, [&](Endpoint& self) {
    const std::unique_ptr<DeviceSums> devices = join_devices(self);
    cuda::Buffer<float> x(5), next(5);
    const DeviceSums::Numbers beyond[] = {{x.data(), 6}};
    CHECK_THROWS_WITH_AS(devices->add_up(beyond),
                         "cuda-emulated: ncclAllReduce reaches beyond a block of memory",
                         std::logic_error);
  });
}

TEST_CASE("NCCL's stand-in is strict: all have one id, and their own numbers") {
  run_with_nccl(2, [&](Endpoint& self) {
    ncclComm_t comm = nullptr;
    ncclUniqueId id = {};
    id.internal[0] = char(self.rank());
    CHECK(ncclCommInitRank(&comm, 2, id, self.rank()) == ncclInvalidUsage);
    CHECK(ncclCommInitRank(&comm, 2, id, 1 - self.rank()) == ncclInvalidArgument);
    CHECK(ncclGroupEnd() == ncclInvalidUsage);
  });
}

}  // namespace xf::test
