#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "cuda/wmma.hpp"
#include "support/errors.hpp"
#include "support/sanitized.hpp"

// Is the emulator strict? Each fault that a GPU would show only sometimes is planted here.
namespace xf {

namespace {

using cuda::Buffer, cuda::launch;

constexpr int threads = 64, blocks = 3, count = threads * blocks;

enum class Fault { none, no_barrier_before, no_barrier_between, unset, one_too_many, divergent };

// y[b] = the sum of block b's numbers of x, a tree in shared memory.
__global__ void tree_sum(const float* x, float* y, Fault fault) {
  __shared__ float partial[threads];
  const int self = static_cast<int>(threadIdx.x);
  if (fault != Fault::unset || self != 5)
    partial[self] = x[static_cast<int>(blockIdx.x) * threads + self];
  if (fault != Fault::no_barrier_before) __syncthreads();
  for (int half = threads / 2; half > 0; half /= 2) {
    if (self < half) partial[self] += partial[self + half];
    if (fault == Fault::divergent && self >= half) return;
    if (fault != Fault::no_barrier_between) __syncthreads();
  }
  if (self == 0) y[blockIdx.x] = partial[0];
  if (fault == Fault::one_too_many && self == 0) y[blockIdx.x + 1] = partial[0];
}

std::vector<float> numbers() {
  std::vector<float> x;
  for (int i = 0; i < count; ++i) x.push_back(static_cast<float>(i % 17) - 5);
  return x;
}

std::vector<float> sums_with(Fault fault) {
  const std::vector<float> x = numbers();
  Buffer<float> from(count), to(blocks);
  cuda::copy_to_device(from.data(), x.data(), count * sizeof(float));
  launch({"tree_sum", blocks, threads}, tree_sum, from.data(), to.data(), fault);
  cuda::check_ends_of_blocks();
  return to.values();
}

std::vector<float> right_sums() {
  const std::vector<float> x = numbers();
  std::vector<float> y(blocks, 0.0f);
  for (int i = 0; i < count; ++i) y[static_cast<std::size_t>(i / threads)] += x[std::size_t(i)];
  return y;
}

// What `body` says on stderr before it ends the process, or "" when it returns.
template <class Body>
std::string last_words(const Body& body) {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    body();
    _exit(0);
  }
  close(ends[1]);
  std::string words;
  char buffer[4096];
  for (ssize_t got; (got = read(ends[0], buffer, sizeof buffer)) > 0;)
    words.append(buffer, static_cast<std::size_t>(got));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return status == 0 ? "" : words + ".";
}

template <class Body>
void under_schedules(const Body& body) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    emulator::set_schedule(seed);
    body();
  }
}

}  // namespace

TEST_CASE("emulator: what a kernel throws comes out of its launch, and the next one runs") {
  Buffer<float> y(1);
  const auto kernel = [](float* to) {
    if (threadIdx.x == 3) throw std::out_of_range("thread 3");
    __syncthreads();
    to[0] = 1;
  };
  void (*const throwing)(float*) = kernel;
  CHECK_THROWS_WITH_AS(launch({"throwing", 2, threads}, throwing, y.data()), "thread 3",
                       std::out_of_range);
  CHECK(sums_with(Fault::none) == right_sums());
}

// Run once more by a process that has few addresses (tests/CMakeLists.txt).
TEST_CASE("emulator: the device ends with its addresses") {
  Buffer<float> y(1);
  const char* const first = reinterpret_cast<const char*>(y.data()) - cuda::device_offset(y.data());
  CHECK(cuda::on_device(y.data()));
  CHECK(cuda::on_device(first + cuda::reserved_addresses() - 1));
  CHECK_FALSE(cuda::on_device(first + cuda::reserved_addresses()));
  CHECK_FALSE(cuda::on_device(first - 1));
}

TEST_CASE("emulator: a right kernel is right under every schedule") {
  under_schedules([] { CHECK(sums_with(Fault::none) == right_sums()); });
}

TEST_CASE("emulator: a missing barrier is wrong under every schedule") {
  under_schedules([] {
    CHECK(sums_with(Fault::no_barrier_before) != right_sums());
    CHECK(sums_with(Fault::no_barrier_between) != right_sums());
  });
}

TEST_CASE("emulator: a shared number that was never written spoils the sum") {
  under_schedules([] {
    for (float sum : sums_with(Fault::unset)) CHECK(!(std::fabs(sum) < 1e6f));
  });
}

namespace {

// The largest, or the least, number of a warp's, in which that of lane 5 was forgotten.
__global__ void extreme(const float* x, float* y, bool largest) {
  __shared__ float held[warpSize];
  if (threadIdx.x != 5) held[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  float best = held[threadIdx.x];
  for (const float other : held) best = largest ? fmaxf(best, other) : fminf(best, other);
  y[threadIdx.x] = best;
}

}  // namespace

TEST_CASE("emulator: a number that fmaxf and fminf pass over as NaN is found by other schedules") {
  const std::vector<float> x = numbers();
  Buffer<float> from(warpSize), to(warpSize);
  cuda::copy_to_device(from.data(), x.data(), warpSize * sizeof(float));
  for (const bool largest : {true, false}) {
    std::set<bool> right;
    under_schedules([&] {
      launch({"extreme", 1, warpSize}, extreme, from.data(), to.data(), largest);
      right.insert(to.values()[0] == (largest ? 11.0f : -5.0f));
    });
    CHECK(right == std::set<bool>{false, true});  // hidden by some, found by others
  }
}

TEST_CASE("emulator: fresh device memory spoils a sum, also where another block has been before") {
  emulator::set_schedule(1);              // NaN
  for (int turn = 0; turn < 2; ++turn) {  // the second time from what the first has given back
    Buffer<float> fresh(count), to(blocks);
    launch({"tree_sum", blocks, threads}, tree_sum, fresh.data(), to.data(), Fault::none);
    for (float sum : to.values()) CHECK(std::isnan(sum));
    const std::vector<float> x = numbers();
    cuda::copy_to_device(fresh.data(), x.data(), count * sizeof(float));
  }
}

TEST_CASE("emulator: a number behind the end of a block of memory is found") {
  if (test::slowdown > 1)  // a sanitizer, which stops at the access itself
    CHECK(last_words([] { sums_with(Fault::one_too_many); }).find("tree_sum") != std::string::npos);
  else
    CHECK_THROWS_WITH_AS(
        sums_with(Fault::one_too_many),
        "cuda-emulated: a kernel wrote behind the end of an allocation of 12 bytes",
        std::logic_error);
}

TEST_CASE("emulator: a copy epilogue a part of itself is refused") {
  cuda::Buffer<float> x(10);
  CHECK_THROWS_WITH_AS(cuda::copy_on_device(x.data() + 1, x.data(), 4 * sizeof(float)),
                       "cuda-emulated: a copy whose two sides overlap", std::logic_error);
  CHECK_NOTHROW(cuda::copy_on_device(x.data() + 4, x.data(), 4 * sizeof(float)));
}

TEST_CASE("emulator: a barrier that some threads do not reach is named") {
  under_schedules([] {
    const std::string message =
        test::error_of<emulator::BrokenKernel>([] { sums_with(Fault::divergent); });
    CHECK(message.substr(0, 16) == "tree_sum, block ");
    test::expect_parts(message, {"32 of 64 threads wait at a barrier that the others never reach"});
    CHECK(sums_with(Fault::none) == right_sums());  // the machine is whole again
  });
}

TEST_CASE("emulator: device memory is closed to the host, which is told so") {
  Buffer<float> x(4);
  const std::string words = last_words([&] {
    cuda::watch_host();
    const volatile float* place = x.data();
    if (*place > 0) _exit(0);
  });
  CHECK(words.find("device memory was touched from outside a kernel") != std::string::npos);
}

namespace {

// Each lane gets the number of the lane that the shuffle names.
__global__ void shuffles(int* ones, int* downs, int* sums) {
  int value = static_cast<int>(threadIdx.x);
  ones[threadIdx.x] = __shfl_sync(~0u, value, 7);
  downs[threadIdx.x] = __shfl_down_sync(~0u, value, 3);
  for (int distance = 16; distance > 0; distance /= 2)
    value += __shfl_xor_sync(~0u, value, distance);
  sums[threadIdx.x] = value;
}

// All threads change the same numbers. `taken` has the threads of a block in the order of their
// tickets, `before` what each found instead of its own number of `x`.
__global__ void atomics(const int* x, int* taken, float* sum, int* least, int* before) {
  __shared__ int tickets;
  const int self = static_cast<int>(threadIdx.x), base = static_cast<int>(blockIdx.x) * threads;
  if (self == 0) tickets = 0;
  __syncthreads();
  taken[base + atomicAdd(&tickets, 1)] = base + self;
  atomicAdd(sum, 0.5f * static_cast<float>(x[base + self]));
  before[base + self] = atomicMin(least, x[base + self]);
}

__global__ void lost_lane(float* y) {
  if (threadIdx.x == 9) return;
  y[threadIdx.x] = cuda::warp_sum(1.0f);
}

__global__ void fill_shared(float* y, int numbers) {
  auto* held = cuda::dynamic_shared<float>();
  for (int i = 0; i < numbers; ++i) held[i] = 1;
  y[0] = held[numbers - 1];
}

}  // namespace

TEST_CASE("emulator: more shared memory than a block has is refused") {
  Buffer<float> y(1);
  constexpr int most = 48 * 1024 / sizeof(float);
  const auto said = [&](int numbers) {
    return test::error_of<emulator::BrokenKernel>([&] {
      launch({"fill_shared", 1, 1, numbers * sizeof(float)}, fill_shared, y.data(), numbers);
    });
  };
  CHECK(said(most).empty());
  CHECK(said(most + 1) == "fill_shared: 49156 bytes of shared memory, a block has 49152");
}

#ifndef XF_SANITIZE  // AddressSanitizer stops at the access itself
TEST_CASE("emulator: a write behind a block's dynamic shared memory is found") {
  Buffer<float> y(1);
  CHECK(test::error_of<emulator::BrokenKernel>([&] {
          launch({"fill_shared", 1, 1, 3 * sizeof(float)}, fill_shared, y.data(), 4);
        }) ==
        "fill_shared, block (0, 0, 0): something is written behind the block's dynamic "
        "shared memory");
}
#endif

TEST_CASE("emulator: a kernel that is given the host's memory is named") {
  std::vector<float> host(threads);
  Buffer<float> y(blocks);
  CHECK(test::error_of<emulator::BrokenKernel>([&] {
          launch({"tree_sum", 1, threads}, tree_sum, host.data(), y.data(), Fault::none);
        }) == "tree_sum: argument 1 points to the host's memory");
}

// A fragment of sums, which lies where it may not, or which a lane does not come to store.
__global__ void store_fragment(int shift, int stride, unsigned lost) {
  namespace wmma = nvcuda::wmma;
  __shared__ __align__(32) float tile[20 * 16 + 1];
  if (threadIdx.x == lost) return;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums;
  wmma::fill_fragment(sums, 1);
  wmma::store_matrix_sync(tile + shift, sums, static_cast<unsigned>(stride), wmma::mem_row_major);
}

TEST_CASE("emulator: a fragment where tensor cores cannot reach it is named") {
  const auto problem = [](int shift, int stride, unsigned lost) {
    return test::error_of<emulator::BrokenKernel>([&] {
      launch({"store_fragment", 1, 32}, store_fragment, shift, stride, lost);
    });
  };
  under_schedules([&] {
    CHECK(problem(0, 16, 32).empty());
    CHECK(problem(1, 16, 32) ==
          "store_fragment, block (0, 0, 0): a fragment at an address that is "
          "no multiple of 32 bytes");
    CHECK(problem(0, 17, 32) ==
          "store_fragment, block (0, 0, 0): a fragment whose rows are no "
          "multiple of 16 bytes apart");
    CHECK(problem(0, 16, 9) ==
          "store_fragment, block (0, 0, 0): 31 of 32 threads wait for lanes of "
          "their warp that do not come");
  });
}

TEST_CASE("emulator: the lanes of a warp exchange numbers") {
  under_schedules([] {
    constexpr unsigned lanes = 64;
    Buffer<int> ones(lanes), downs(lanes), sums(lanes);
    launch({"shuffles", 1, lanes}, shuffles, ones.data(), downs.data(), sums.data());
    for (unsigned i = 0; i < lanes; ++i) {
      CHECK(ones.values()[i] == (i < 32 ? 7 : 39));
      CHECK(sums.values()[i] == (i < 32 ? 496 : 496 + 32 * 32));
      CHECK(downs.values()[i] == static_cast<int>(i % 32 + 3 < 32 ? i + 3 : i));
    }
  });
}

TEST_CASE("emulator: what all threads change at once, each changes whole") {
  std::vector<int> x;
  for (int i = 0; i < count; ++i) x.push_back(i * 37 % count - 5);  // each of -5 ... 186 once
  const int start = 1000;
  const float nothing = 0;
  Buffer<int> from(count), taken(count), before(count), least(1);
  Buffer<float> sum(1);
  cuda::copy_to_device(from.data(), x.data(), count * sizeof(int));
  std::set<std::vector<int>> orders;
  under_schedules([&] {
    cuda::copy_to_device(least.data(), &start, sizeof start);
    cuda::copy_to_device(sum.data(), &nothing, sizeof nothing);
    launch({"atomics", blocks, threads}, atomics, from.data(), taken.data(), sum.data(),
           least.data(), before.data());
    CHECK(sum.values()[0] == 0.5f * (count * (count - 1) / 2 - 5 * count));
    CHECK(least.values()[0] == -5);
    // The numbers that were the least for a while, and what they were found instead of: each once.
    std::vector<int> order = taken.values(), found = before.values(), fell = {start};
    for (std::size_t i = 0; i < x.size(); ++i)
      if (x[i] < found[i]) fell.push_back(x[i]);
    std::set<int> seen(found.begin(), found.end());
    seen.insert(-5);
    CHECK(seen == std::set<int>(fell.begin(), fell.end()));
    CHECK(std::count(found.begin(), found.end(), start) == 1);
    orders.insert(order);
    for (int b = 0; b < blocks; ++b) std::sort(&order[b * threads], &order[b * threads] + threads);
    for (int i = 0; i < count; ++i) CHECK(order[static_cast<std::size_t>(i)] == i);
  });
  CHECK(orders.size() == 20);
}

TEST_CASE("emulator: a shuffle that a lane does not come to is named") {
  Buffer<float> y(32);
  CHECK_THROWS_WITH_AS(launch({"lost_lane", 1, 32}, lost_lane, y.data()),
                       "lost_lane, block (0, 0, 0): 31 of 32 threads wait for lanes of their warp "
                       "that do not come",
                       emulator::BrokenKernel);
}

}  // namespace xf
