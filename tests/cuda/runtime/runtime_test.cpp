#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#include <numeric>

#include "cuda/block_cache.hpp"
#include "cuda/device_memory.hpp"
#include "cuda/stream.hpp"

// common/cuda/runtime.cu itself, with a stand-in for what it calls.
namespace xf::test {

namespace {

using cuda::Buffer;
using cuda::Together;
using cuda::Traffic;

void add_to(Buffer<int>& x, int number) {
  stand_in::kernel(cuda::stream(), [data = x.data(), number] { *data += number; });
}
void multiply(Buffer<int>& x, int number) {
  stand_in::kernel(cuda::stream(), [data = x.data(), number] { *data *= number; });
}
void set(Buffer<int>& x, int number) {
  const std::vector<int> passing{number};  // gone before the device reads it
  cuda::copy_to_device(x.data(), passing.data(), sizeof number);
}

}  // namespace

TEST_CASE("runtime: each piece of work is handed over by itself") {
  Buffer<int> x(1), y(1);
  const long before = cuda::traffic().submissions;
  set(x, 3);
  add_to(x, 4);
  cuda::copy_on_device(y.data(), x.data(), sizeof(int));
  CHECK(y.values() == std::vector{7});
  CHECK(cuda::traffic().submissions - before == 4);
  CHECK(stand_in::all_is_done());
}

TEST_CASE("runtime: what is collected is handed over as one, and gives the same") {
  Buffer<int> x(1), y(1);
  const stand_in::Counts before = stand_in::counts();
  const Traffic traffic = cuda::traffic();
  const Together together;
  set(x, 3);
  add_to(x, 4);
  multiply(x, 2);
  cuda::copy_on_device(y.data(), x.data(), sizeof(int));
  set(x, 5);
  CHECK(stand_in::counts().launches == before.launches);
  CHECK(y.values() == std::vector{14});
  CHECK(x.values() == std::vector{5});
  CHECK(stand_in::counts().launches - before.launches == 3);  // a graph, two copies to the host
  CHECK(cuda::traffic().submissions - traffic.submissions == 3);
  CHECK(cuda::traffic().waits - traffic.waits == 2);
}

TEST_CASE("runtime: a step like the one before changes the graph's numbers, another one is made") {
  Buffer<int> x(1);
  const Together together;
  const stand_in::Counts before = stand_in::counts();
  for (int step = 1; step <= 5; ++step) {
    set(x, step);
    add_to(x, 10 * step);
    multiply(x, 3);
    CHECK(x.values() == std::vector{33 * step});
  }
  CHECK(stand_in::counts().instantiated - before.instantiated == 1);
  CHECK(stand_in::counts().updated - before.updated == 4);

  add_to(x, 1);  // as many pieces, of other kinds
  set(x, 2);
  add_to(x, 1);
  CHECK(x.values() == std::vector{3});
  CHECK(stand_in::counts().instantiated - before.instantiated == 2);
}

TEST_CASE("runtime: two graphs may wait for the device at once") {
  Buffer<int> x(1);
  const Together together;
  set(x, 1);
  add_to(x, 1);
  cuda::hand_over();
  set(x, 10);  // of the same kinds: the first has not run
  add_to(x, 2);
  cuda::hand_over();
  set(x, 100);
  multiply(x, 2);
  CHECK(x.values() == std::vector{200});
}

TEST_CASE("runtime: what is left is handed over when the last one ends") {
  Buffer<int> x(1);
  {
    const Together outer;
    {
      const Together inner;
      set(x, 20);
    }
    const stand_in::Counts before = stand_in::counts();
    add_to(x, 1);
    CHECK(stand_in::counts().launches == before.launches);
  }
  CHECK(cudaStreamSynchronize(cuda::stream()) == cudaSuccess);
  CHECK(x.values() == std::vector{21});
}

TEST_CASE("runtime: memory that is not there yet is asked for between two graphs") {
  const Together together;
  Buffer<int> x(1);
  set(x, 1);
  Buffer<int> large(123457);  // no block of its size was released before
  add_to(x, 1);
  CHECK(x.values() == std::vector{2});
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
  const Together together;
  Buffer<int> sum(1);
  set(sum, 0);
  for (int i = 1; i <= 3; ++i) {
    Buffer<int> passing(1);  // the same block each time
    set(passing, i);
    stand_in::kernel(cuda::stream(), [to = sum.data(), from = passing.data()] { *to += *from; });
  }
  CHECK(sum.values() == std::vector{6});
}

TEST_CASE("runtime: copies of more than the staging memory holds") {
  std::vector<int> numbers(50'000);
  std::iota(numbers.begin(), numbers.end(), 0);
  const Together together;
  Buffer<int> x(numbers.size());
  long sum = 0;
  for (int round = 0; round < 12; ++round) {  // 200 kB each: six fill it
    numbers[0] = round;
    cuda::copy_to_device(x.data(), numbers.data(), numbers.size() * sizeof(int));
    stand_in::kernel(cuda::stream(), [&sum, data = x.data()] { sum += data[0] + data[49'999]; });
  }
  CHECK(x.values().back() == 49'999);
  CHECK(sum == 66 + 12 * 49'999);

  numbers.resize(100'000, 7);  // more than a quarter of it: handed over by itself
  Buffer<int> large(numbers.size());
  cuda::copy_to_device(large.data(), numbers.data(), numbers.size() * sizeof(int));
  numbers.assign(numbers.size(), 8);
  CHECK(large.values().back() == 7);
}

TEST_CASE("runtime: a graph does not grow without end") {
  Buffer<int> x(1);
  set(x, 0);
  const Together together;
  const stand_in::Counts before = stand_in::counts();
  for (int i = 0; i < 20'000; ++i) add_to(x, 1);
  CHECK(stand_in::counts().launches - before.launches == 2);
  CHECK(x.values() == std::vector{20'000});
}

TEST_CASE("runtime: graphs of many lengths are forgotten, and none while it runs") {
  Buffer<int> x(1);
  set(x, 0);
  const Together together;
  for (int length = 1; length <= 70; ++length) {
    for (int i = 0; i < length; ++i) add_to(x, 1);
    cuda::hand_over();
  }
  CHECK(x.values() == std::vector{70 * 71 / 2});
  CHECK(cudaGetLastError() == cudaSuccess);
}

TEST_CASE("runtime: what is thrown leaves out what was collected") {
  Buffer<int> x(1);
  set(x, 1);
  try {
    const Together together;
    add_to(x, 1);
    throw std::runtime_error("no");
  } catch (const std::runtime_error&) {
  }
  CHECK(x.values() == std::vector{1});
  const Together together;  // and the stream records again
  add_to(x, 5);
  CHECK(x.values() == std::vector{6});
}

TEST_CASE("runtime: a recording that broke is reported once") {
  Buffer<int> x(1);
  set(x, 1);
  const Together together;
  add_to(x, 1);
  CHECK(cudaStreamSynchronize(cuda::stream()) == cudaErrorStreamCaptureUnsupported);
  CHECK_THROWS_WITH_AS(cuda::hand_over(),
                       "cuda: the collected work: operation failed due to a "
                       "previous error during capture",
                       cuda::DeviceError);
  add_to(x, 5);
  CHECK(x.values() == std::vector{6});
}

TEST_CASE("runtime: no memory gives back what lies idle, and then says what there is") {
  { Buffer<int> idle(70'000); }
  stand_in::let_memory_end_after(0);
  const Together together;
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
