#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#include "cuda/block_cache.hpp"
#include "cuda/device_memory.hpp"
#include "cuda/stream.hpp"

// common/cuda/runtime.cu itself, with a stand-in for what it calls.
namespace xf::test {

namespace {

using cuda::Buffer;

void add_to(Buffer<int>& x, int number) {
  stand_in::kernel(cuda::stream(), [data = x.data(), number] { *data += number; });
}
void set(Buffer<int>& x, int number) {
  const std::vector<int> passing{number};  // gone before the device reads it
  cuda::copy_to_device(x.data(), passing.data(), sizeof number);
}

}  // namespace

TEST_CASE("runtime: kernels and copies are done in the order in which they are asked for") {
  Buffer<int> x(1), y(1);
  const cuda::Traffic before = cuda::traffic();
  set(x, 3);
  add_to(x, 4);
  cuda::copy_on_device(y.data(), x.data(), sizeof(int));
  set(x, 5);
  CHECK(!stand_in::all_is_done());
  CHECK(y.values() == std::vector{7});
  CHECK(stand_in::all_is_done());
  CHECK(x.values() == std::vector{5});
  const cuda::Traffic after = cuda::traffic();
  CHECK(after.to_device - before.to_device == 2);
  CHECK(after.to_host - before.to_host == 2);
  CHECK(after.waits - before.waits == 2);
  CHECK(after.bytes_to_host - before.bytes_to_host == 2 * sizeof(int));
}

TEST_CASE("runtime: a block holds all for which it may be used again") {
  for (const std::size_t bytes : {1, 255, 257, 1000, 5000, 70'001, 1'000'003}) {
    const void* released = nullptr;
    {
      Buffer<char> x(bytes);
      released = x.data();
    }
    std::size_t most = bytes;  // for which it is
    while (cuda::BlockCache::size_for(most + 1) == cuda::BlockCache::size_for(bytes)) ++most;
    Buffer<char> x(most);
    CHECK(x.data() == released);
    const std::vector<char> numbers(most, 'x');
    cuda::copy_to_device(x.data(), numbers.data(), most);
    CHECK(x.values() == numbers);
  }
}

TEST_CASE("runtime: a block that is used again is written in turn") {
  Buffer<int> sum(1);
  set(sum, 0);
  for (int i = 1; i <= 3; ++i) {
    Buffer<int> passing(1);  // the same block each time
    set(passing, i);
    stand_in::kernel(cuda::stream(), [to = sum.data(), from = passing.data()] { *to += *from; });
  }
  CHECK(sum.values() == std::vector{6});
}

TEST_CASE("runtime: no memory gives back what lies idle, and then says what there is") {
  { Buffer<int> idle(70'000); }
  stand_in::let_memory_end_after(0);
  Buffer<int> x(150'001);  // in the place of idle ones
  CHECK(cudaGetLastError() ==
        cudaSuccess);  // of the first try nothing is left for a launch to find
  stand_in::let_memory_end_after(0);
  CHECK_THROWS_WITH_AS(Buffer<int>(300'001),
                       "cuda: no memory for 1200004 bytes, 1 of 4 MiB are "
                       "free, this program uses 3 and holds 3",
                       cuda::DeviceError);
  CHECK(cudaGetLastError() == cudaSuccess);
  stand_in::let_memory_end_after(-1);
}

}  // namespace xf::test
