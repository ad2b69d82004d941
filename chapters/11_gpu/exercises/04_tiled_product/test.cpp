#include "support/test.hpp"
#include "exercise.hpp"

#include <array>
#include <map>
#include <set>

using namespace xf;
using exercise::given, exercise::in_orders, exercise::OnDevice, exercise::tile, exercise::within;

namespace {

using Numbers = std::vector<float>;

constexpr int orders = 3;

void launch(int m, int k, int n, float* c) {
  const xf::dim3 grid(cuda::blocks_for(n, tile), cuda::blocks_for(m, tile));
  cuda::launch({"product", grid, xf::dim3(tile, tile)}, exercise::product,
               exercise::Matrix(m, k, 0), exercise::Matrix(k, n, 1), c);
}

// ---- the numbers of both matrices, which are handed out one by one ------------------------------

Tensor matrix(int number, int rows, int columns) {
  return exercise::random({rows, columns}, 333 + std::uint64_t(number));
}

constexpr std::size_t threads = tile * tile;

struct Counted {
  Numbers numbers;
  int reads = 0;
  std::vector<int> of_thread = std::vector<int>(threads);  // of its place in all blocks
  // Of a block, a thread: how many. Of a block, a warp and its first read, second ...: segments.
  std::map<std::array<int, 2>, int> of_block;
  std::map<std::array<int, 3>, std::set<std::size_t>> segments;
};
Counted counted[2];

float read(int number, std::size_t at) {  // what there is not is counted, too
  Counted& one = counted[number];
  ++one.reads;
  const int thread = int(emulator::running_thread());
  const int block = int(blockIdx.y * gridDim.x + blockIdx.x);
  ++one.of_thread[std::size_t(thread)];
  const int before = one.of_block[{block, thread}]++;
  one.segments[{block, thread / 32, before}].insert(at / 32);
  return at < one.numbers.size() ? one.numbers[at] : 0;
}

Tensor pair(float of_a, float of_b) { return Tensor::from({2}, {of_a, of_b}); }
// More than the bound counts as what it is, less as the bound: nobody has to waste anything.
float segments(const Counted& of, int bound) {
  std::size_t count = 0;
  for (const auto& [read, segments] : of.segments) count += segments.size();
  return float(std::max(bound, int(count)));
}
float busiest(const Counted& of, int bound) {
  return float(std::max(bound, *std::max_element(of.of_thread.begin(), of.of_thread.end())));
}

// ---- the learner's kernel -----------------------------------------------------------------------

// Where the numbers of A and B are read from: the device or, where reads are counted, above.
const float* on_device[2];

Numbers own(const Tensor& a, const Tensor& b) {
  const int m = a.size(0), k = a.size(1), n = b.size(1);
  OnDevice of_a(a.values()), of_b(b.values());
  cuda::Buffer<float> c(static_cast<std::size_t>(m * n));
  on_device[0] = of_a.data(), on_device[1] = of_b.data();
  launch(m, k, n, c.data());
  return c.values();
}

Numbers own_counted(int m, int k, int n) {
  cuda::Buffer<float> c(static_cast<std::size_t>(m * n));
  counted[0] = {.numbers = matrix(0, m, k).values()};
  counted[1] = {.numbers = matrix(1, k, n).values()};
  on_device[0] = on_device[1] = nullptr;
  launch(m, k, n, c.data());
  return c.values();
}

void check(const std::string& what, int m, int k, int n, float deviation_of_a = 1) {
  const Tensor a = exercise::random({m, k}, 331, deviation_of_a), b = exercise::random({k, n}, 332);
  COMPARE("C in three orders, " + what, in_orders(orders, matmul(a, b).values()),
          in_orders(orders, [&] { return own(a, b); }));
}

}  // namespace

float exercise::Matrix::operator()(int row, int column) const {
  const std::ptrdiff_t at = std::ptrdiff_t(row) * columns + column;
  if (on_device[number_]) return on_device[number_][at];
  return read(number_, std::size_t(at));
}

TEST_CASE("one tile") { check("M = K = N = 16", 16, 16, 16); }

TEST_CASE("several tiles, one after another along K") {
  check("M = 6, K = 48, N = 16", given(6), 16 * given(3), 16);
}

TEST_CASE("several blocks") {
  check("M = 40, K = 9, N = 20", given(40, 33, 64), given(9), given(20, 17, 50));
}

TEST_CASE("matrices that tiles do not fill exactly") {
  check("M = 5, K = 7, N = 9", given(5), given(7), given(9));
  check("M = 5, K = 7, N = 9, where A is 0", given(5), given(7), given(9), 0);
  check("M = 20, K = 33, N = 18", given(20), given(33, 33, 40), given(18));
}

TEST_CASE("each number is read once for each tile that needs it") {
  // No larger, because every read is written down.
  const int m = within(40, 33, 48), k = within(24, 20, 32), n = within(20, 17, 32);
  const auto reads = [&] {
    own_counted(m, k, n);
    return pair(float(counted[0].reads), float(counted[1].reads));
  };
  COMPARE("C, M = 40, K = 24, N = 20", matmul(matrix(0, m, k), matrix(1, k, n)),
          Tensor::from({m, n}, own_counted(m, k, n)));
  COMPARE("reads of A, and of B, M = 40, K = 24, N = 20",
          pair(float(m * k * ((n + tile - 1) / tile)), float(k * n * ((m + tile - 1) / tile))),
          reads());
  // In every block, a number of each tile; twice as many, for other ways to share them out.
  const int blocks = ((m + tile - 1) / tile) * ((n + tile - 1) / tile);
  const int bound = 2 * blocks * ((k + tile - 1) / tile);
  const auto by_busiest = [&] {
    own_counted(m, k, n);
    return pair(busiest(counted[0], bound), busiest(counted[1], bound));
  };
  COMPARE("reads of A, and of B, by the busiest thread, M = 40, K = 24, N = 20",
          pair(float(bound), float(bound)), by_busiest());
  // A warp's 32 lanes read two rows of a tile: they lie in three segments of 128 bytes at most.
  const int most = 3 * int(threads / 32) * blocks * ((k + tile - 1) / tile);
  COMPARE("segments of 128 bytes that the warps read of A, and of B, M = 40, K = 24, N = 20",
          pair(float(most), float(most)),
          pair(segments(counted[0], most), segments(counted[1], most)));
}
