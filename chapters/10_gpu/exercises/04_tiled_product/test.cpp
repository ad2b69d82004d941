#include "support/test.hpp"
#include "exercise.hpp"

#include <array>
#include <map>
#include <set>

using namespace xf;
using keeper::ask, keeper::Call, exercise::given, exercise::in_orders, exercise::OnDevice,
    keeper::scalar, keeper::Tensors, exercise::tile, keeper::whole, exercise::within;

namespace {

using Numbers = std::vector<float>;

constexpr int orders = 3;

Tensor sizes(int m, int k, int n) { return Tensor::from({3}, {float(m), float(k), float(n)}); }

void launch(int m, int k, int n, float* c) {
  const xf::dim3 grid(cuda::blocks_for(n, tile), cuda::blocks_for(m, tile));
  cuda::launch({"product", grid, xf::dim3(tile, tile)}, exercise::product,
               exercise::Matrix(m, k, 0), exercise::Matrix(k, n, 1), c);
}

// ---- the keeper: it has the numbers of both matrices, and hands them out one by one -------------

Tensor hidden_matrix(int number, int rows, int columns) {
  return keeper::hidden({rows, columns}, 333 + std::uint64_t(number));
}

constexpr std::size_t threads = tile * tile;

struct Kept {
  Numbers numbers;
  int reads = 0;
  std::vector<int> of_thread = std::vector<int>(threads);  // of its place in all blocks
  // Of a block, a thread: how many. Of a block, a warp and its first read, second ...: segments.
  std::map<std::array<int, 2>, int> of_block;
  std::map<std::array<int, 3>, std::set<std::size_t>> segments;
};
Kept& kept(int number) {
  static Kept all[2];
  return all[number];
}
float yes(int number) { return keeper::yes(std::to_string(number)); }

KEEP("begin", [](const Tensors& about, const Call&) -> Tensors {
  std::vector<int> size;
  for (float each : about.at(0).values()) size.push_back(whole(scalar(each), 1, 64));
  for (std::size_t i : {0, 1})
    kept(int(i)) = {.numbers = hidden_matrix(int(i), size.at(i), size.at(i + 1)).values()};
  return {};
});
KEEP("read", [](const Tensors& about, const Call&) -> Tensors {
  Kept& one = kept(whole(about.at(0), 0, 1));
  const auto at = std::size_t(whole(about.at(1), -1, 9999));  // what there is not is counted, too
  ++one.reads;
  const int thread = whole(about.at(2), 0, int(threads) - 1), block = whole(about.at(3), 0, 99);
  ++one.of_thread[std::size_t(thread)];
  const int before = one.of_block[{block, thread}]++;
  one.segments[{block, thread / 32, before}].insert(at / 32);
  return {scalar(at < one.numbers.size() ? one.numbers[at] : 0)};
});
KEEP("reads", [](const Tensors&, const Call&) -> Tensors {
  return {Tensor::from({2}, {yes(0) * float(kept(0).reads), yes(1) * float(kept(1).reads)})};
});
// More than the bound counts as what it is, less as the bound: nobody has to waste anything.
KEEP("segments", [](const Tensors& about, const Call&) -> Tensors {
  const int bound = whole(about.at(0), 1, 9999);
  std::vector<float> all;
  for (int i : {0, 1}) {
    std::size_t count = 0;
    for (const auto& [read, segments] : kept(i).segments) count += segments.size();
    all.push_back(yes(i) * float(std::max(bound, int(count))));
  }
  return {Tensor::from({2}, all)};
});
KEEP("busiest", [](const Tensors& about, const Call&) -> Tensors {
  const int bound = whole(about.at(0), 1, 9999);
  std::vector<float> most;
  for (int i : {0, 1}) {
    const std::vector<int>& each = kept(i).of_thread;
    most.push_back(yes(i) * float(std::max(bound, *std::max_element(each.begin(), each.end()))));
  }
  return {Tensor::from({2}, most)};
});

// ---- the learner's kernel -----------------------------------------------------------------------

// Where the numbers of A and B are read from: the device or, where reads are counted, the keeper.
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
  ask("begin", {sizes(m, k, n)});
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
  return ask("read", {scalar(number_), scalar(double(std::clamp<std::ptrdiff_t>(at, -1, 9999))),
                      scalar(double(emulator::running_thread())),
                      scalar(double(blockIdx.y * gridDim.x + blockIdx.x))})
      .at(0)
      .item();
}

TEST_CASE("one tile") { check("M = K = N = 16", 16, 16, 16); }

TEST_CASE("several tiles, one after the other in K") {
  check("M = 6, K = 48, N = 16", given(6), 16 * given(3), 16);
}

TEST_CASE("several blocks") {
  check("M = 40, K = 9, N = 20", given(40, 33, 64), given(9), given(20, 17, 50));
}

TEST_CASE("matrices that do not end with a tile") {
  check("M = 5, K = 7, N = 9", given(5), given(7), given(9));
  check("M = 5, K = 7, N = 9, where A is 0", given(5), given(7), given(9), 0);
  check("M = 20, K = 33, N = 18", given(20), given(33, 33, 40), given(18));
}

TEST_CASE("each number is read once for each tile that needs it") {
  // No larger, because the keeper hands out one number at a time.
  const int m = within(40, 33, 48), k = within(24, 20, 32), n = within(20, 17, 32);
  const auto pair = [](float of_a, float of_b) { return Tensor::from({2}, {of_a, of_b}); };
  const auto counted = [&] {
    own_counted(m, k, n);
    return ask("reads", {}).at(0);
  };
  COMPARE("C, M = 40, K = 24, N = 20", matmul(hidden_matrix(0, m, k), hidden_matrix(1, k, n)),
          Tensor::from({m, n}, own_counted(m, k, n)));
  COMPARE("reads of A, and of B, M = 40, K = 24, N = 20",
          pair(yes(0) * float(m * k * ((n + tile - 1) / tile)),
               yes(1) * float(k * n * ((m + tile - 1) / tile))),
          counted());
  // In every block, a number of each tile; twice as many, for other ways to share them out.
  const int blocks = ((m + tile - 1) / tile) * ((n + tile - 1) / tile);
  const int bound = 2 * blocks * ((k + tile - 1) / tile);
  const auto busiest = [&] {
    own_counted(m, k, n);
    return ask("busiest", {scalar(bound)}).at(0);
  };
  COMPARE("reads of A, and of B, by the busiest thread, M = 40, K = 24, N = 20",
          pair(yes(0) * float(bound), yes(1) * float(bound)), busiest());
  // A warp's 32 lanes read two rows of a tile: they lie in three segments of 128 bytes at most.
  const int most = 3 * int(threads / 32) * blocks * ((k + tile - 1) / tile);
  COMPARE("segments of 128 bytes that the warps read of A, and of B, M = 40, K = 24, N = 20",
          pair(yes(0) * float(most), yes(1) * float(most)), ask("segments", {scalar(most)}).at(0));
}
