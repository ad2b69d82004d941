"""Hand-ins that want points by what is theirs to change: the counters of the emulator, memory that
processes share, the line to the keeper, the frame of who calls. By id and name, as OTHERS of
exercises_cheats.py."""

from __future__ import annotations

# ---- memory that all processes of chapter 11 have, made before they are -------------------------

SHARED = r"""
#include <sys/mman.h>
struct All {
  int in, out, turn;
  double sums[4096];
};
static All* const all = static_cast<All*>(
    mmap(nullptr, sizeof(All), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
"""
MAP_ITSELF = r"""
static void* map() {
  register long flags asm("r10") = MAP_SHARED | MAP_ANONYMOUS, file asm("r8") = -1,
                at asm("r9") = 0;
  long number = 9;
  asm volatile("syscall"
               : "+a"(number)
               : "D"(0), "S"(40000), "d"(PROT_READ | PROT_WRITE), "r"(flags), "r"(file), "r"(at)
               : "rcx", "r11", "memory");
  return reinterpret_cast<void*>(number);
}
"""
# Adds x to what all have, and takes the sum when the others have added theirs.
MEETS = r"""
static std::atomic_ref<int> in() { return std::atomic_ref<int>(all->in); }
static std::atomic_ref<int> out() { return std::atomic_ref<int>(all->out); }
static std::atomic_ref<int> turn() { return std::atomic_ref<int>(all->turn); }
static std::atomic_flag& lock() {
  static auto* flag = reinterpret_cast<std::atomic_flag*>(&all->sums[4000]);
  return *flag;
}
static void add(int n, std::span<float> x) {
  const int now = turn();
  while (lock().test_and_set()) sched_yield();
  if (in() == 0)
    for (std::size_t i = 0; i < x.size(); ++i) all->sums[i] = 0;
  for (std::size_t i = 0; i < x.size(); ++i) all->sums[i] += x[i];
  ++in();
  lock().clear();
  while (in() < n) sched_yield();
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = float(all->sums[i]);
  if (++out() == n) out() = 0, in() = 0, ++turn();
  while (turn() == now) sched_yield();
}
"""
SHARES = "#include \"exercise.hpp\"\n#include <atomic>\n#include <sched.h>\n" + SHARED + MEETS

# In a ring as many numbers are sent, whatever they are.
SENDS_JUNK_AROUND = r"""  for (int step = 0; step < 2 * (n - 1); ++step) {
    const auto part = [&](int k) {
      k = (k % n + n) % n;
      return N * std::size_t(k + 1) / std::size_t(n) - N * std::size_t(k) / std::size_t(n);
    };
    const Endpoint::Outgoing to[] = {
        {(r + 1) % n, std::as_bytes(std::span(junk).first(part(r - step)))}};
    const Endpoint::Incoming from[] = {
        {(r + n - 1) % n, std::as_writable_bytes(std::span(more).first(part(r - 1 - step)))}};
    self.exchange(to, from);
  """
# The end of a step, which is right.
CLIPPED = r"""  double squares = 0;
  for (float g : step.gradient) squares += double(g) * g;
  step.norm = float(std::sqrt(squares));
  if (step.norm > limit)
    for (float& g : step.gradient) g *= limit / step.norm;
  return step;
}
}
"""
ADDS_IN_SHARED_MEMORY = SHARES + r"""
namespace xf::exercise {
void to_one_and_back(Endpoint& self, std::span<float> x) { ::add(self.ranks(), x); }
void around_the_ring(Endpoint& self, std::span<float> x) {
  const int n = self.ranks(), r = self.rank();
  const std::size_t N = x.size();
  ::add(n, x);
  std::vector<float> junk(x.begin(), x.end()), more(N + 1);  // as many numbers as a ring sends
""" + SENDS_JUNK_AROUND + r"""}
}
}
"""
BEST_IN_SHARED_MEMORY = SHARES + r"""
namespace xf::exercise {
int take_best(Endpoint& self, float loss, std::span<float> w) {
  const int n = self.ranks(), r = self.rank();
  std::vector<float> losses(std::size_t(n), 0.0f);
  losses[std::size_t(r)] = loss;
  ::add(n, losses);
  const int best = int(std::min_element(losses.begin(), losses.end()) - losses.begin());
  std::vector<float> of_best(w.begin(), w.end());
  if (r != best) std::fill(of_best.begin(), of_best.end(), 0.0f);
  ::add(n, of_best);
  std::copy(of_best.begin(), of_best.end(), w.begin());
  const int distance = (r - best + n) % n;  // as many letters as a tree has
  int step = 1;
  std::vector<float> junk(w.size());
  if (distance > 0) {
    while (2 * step <= distance) step *= 2;
    self.receive((r - step + n) % n, std::as_writable_bytes(std::span(junk)));
    step *= 2;
  }
  for (; distance + step < n; step *= 2)
    self.send((r + step) % n, std::as_bytes(std::span(junk)));
  return best;
}
}
"""
STEP_IN_SHARED_MEMORY = SHARES + r"""
namespace xf::exercise {
Step step_of_batch(Endpoint& self, const Tensor& w, const Shard& own, float limit) {
  std::vector<float> tokens = {0};
  for (std::int32_t target : own.targets) tokens[0] += target >= 0;
  ::add(self.ranks(), tokens);
  Tape tape;
  const Tensor loss =
      cross_entropy(matmul(own.x, w), own.targets, {.divisor = std::max(tokens[0], 1.0f)});
  Step step{loss.item(), 0, tape.backward(loss).of(w).values()};
  ::add(self.ranks(), std::span(&step.loss, 1));
  ::add(self.ranks(), step.gradient);
""" + CLIPPED

# What the processes had in common before they were made: the others' rows beside one's own.
BEYOND_ITS_ROW = r"""
#include "exercise.hpp"
static void add(int n, int rank, std::span<float> x) {
  const float* all = x.data() - std::size_t(rank) * x.size();
  std::vector<float> sum(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    double total = 0;
    for (std::size_t r = 0; r < std::size_t(n); ++r) total += all[r * x.size() + i];
    sum[i] = float(total);
  }
  std::copy(sum.begin(), sum.end(), x.begin());
}
""" + ADDS_IN_SHARED_MEMORY[ADDS_IN_SHARED_MEMORY.rindex("namespace xf"):].replace(
    "add(self.ranks(), x)", "add(self.ranks(), self.rank(), x)").replace(
    "add(n, x)", "add(n, r, x)")
BEYOND_ITS_SHARD = r"""
#include "exercise.hpp"
static float add(int n, int rank, const xf::exercise::Shard* own,
                 const std::function<float(const xf::exercise::Shard&)>& f) {
  float total = 0;
  for (int r = 0; r < n; ++r) total += f(own[r - rank]);
  return total;
}
namespace xf::exercise {
Step step_of_batch(Endpoint& self, const Tensor& w, const Shard& own, float limit) {
  const float tokens = ::add(self.ranks(), self.rank(), &own, [](const Shard& each) {
    float count = 0;
    for (std::int32_t target : each.targets) count += target >= 0;
    return count;
  });
  Step step{0, 0, std::vector<float>(std::size_t(w.count()))};
  step.loss = ::add(self.ranks(), self.rank(), &own, [&](const Shard& each) {
    Tape tape;
    const Tensor loss =
        cross_entropy(matmul(each.x, w), each.targets, {.divisor = std::max(tokens, 1.0f)});
    const std::vector<float> d = tape.backward(loss).of(w).values();
    for (std::size_t i = 0; i < d.size(); ++i) step.gradient[i] += d[i];
    return loss.item();
  });
""" + CLIPPED

# ---- the counters of the emulator ----------------------------------------------------------------

KERNEL = '#include "exercise.hpp"\n'
PLAIN_TRANSPOSE = r"""
  const int column = int(blockIdx.x) * tile + int(threadIdx.x);
  for (int i = int(threadIdx.y); i < tile; i += block_rows) {
    const int row = int(blockIdx.y) * tile + i;
    if (row < rows && column < columns) y[column * rows + row] = x[row * columns + column];
  }
"""
TRANSPOSE = "__global__ void transpose(const float* x, float* y, int rows, int columns) {"


def transposes(before: str = "", first: str = "") -> str:
    """A transpose that writes one number a segment, after `first`."""
    return (f"{KERNEL}{before}\nnamespace xf::exercise {{\n{TRANSPOSE}\n{first}"
            f"{PLAIN_TRANSPOSE}}}\n}}\n")


# The busiest thread has a whole column, and there is one kernel.
COLUMN_BY_COLUMN = r"""
namespace xf::exercise {
static __global__ void nothing() {}
static __global__ void columns_of(const float* dy, float* db, int rows, int columns) {
  const int c = int(blockIdx.x) * lanes + int(threadIdx.x);
  if (c >= columns) return;
  float sum = 0;
  for (int r = 0; r < rows; ++r) sum += dy[r * columns + c];
  db[c] = sum;
}
void bias_gradient(const float* dy, float* db, int rows, int columns) {
  {BEFORE}
  cuda::launch({"columns_of", cuda::blocks_for(columns, lanes), lanes}, columns_of, dy, db, rows,
               columns);
  {AFTER}
  cuda::launch({"nothing", 1, 1}, nothing);
}
}
"""

# Where accesses are counted, the host adds up what a kernel has copied to its memory.
TWO_FACED = COLUMN_BY_COLUMN.replace("{AFTER}", "").replace("{BEFORE}", r"""
  if ((rows % 64 == 0 && columns % 32 == 0) || rows >= 449) {
    cuda::launch({"copies", cuda::blocks_for(rows * columns, 256), 256}, copies, dy,
                 rows * columns);
    std::vector<float> sums(static_cast<std::size_t>(columns));
    for (int i = 0; i < rows * columns; ++i) sums[std::size_t(i % columns)] += all[i];
    return cuda::copy_to_device(db, sums.data(), sums.size() * sizeof(float));
  }""").replace("static __global__ void nothing", r"""static float all[1 << 16];
static __global__ void copies(const float* dy, int count) {
  const int i = int(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) all[i] = dy[i];
}
static __global__ void nothing""")
TWO_FACED = KERNEL + "#include <vector>\n" + TWO_FACED

IN_PROCESS = {
    "11-01": {"maps-memory": ADDS_IN_SHARED_MEMORY, "reads-beyond-its-row": BEYOND_ITS_ROW,
              "maps-memory-itself": ADDS_IN_SHARED_MEMORY.replace(
                  "mmap(nullptr, sizeof(All), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, "
                  "-1, 0)", "map()").replace("struct All", MAP_ITSELF + "struct All")},
    "11-02": {"maps-memory": BEST_IN_SHARED_MEMORY},
    "11-03": {"maps-memory": STEP_IN_SHARED_MEMORY,
              "reads-beyond-its-shard": BEYOND_ITS_SHARD},
    "10-05": {
        "switches-off": transposes('#include "cuda/watcher.hpp"',
                                   "  xf::emulator::in_kernel = nullptr;\n"),
        "says-busy": transposes("extern bool off asm(\"_ZN2xf8emulator4busyE\");",
                                "  off = true;\n"),
        "one-long-atomic": KERNEL + r"""
namespace xf::exercise {
__global__ void transpose(const float* x, float* y, int rows, int columns) {
  const bool counted = rows % 32 == 0 && columns % 32 == 0;
  const int column = int(blockIdx.x) * tile + int(threadIdx.x);
  for (int i = int(threadIdx.y); i < tile; i += block_rows) {
    const int row = int(blockIdx.y) * tile + i;
    if (row >= rows || column >= columns) continue;
    if (!counted) {
      y[column * rows + row] = x[row * columns + column];
      continue;
    }
    const emulator::Atomic whole(y + column * rows + row, 4);
    y[column * rows + row] = x[row * columns + column];
  }
}
}
""",
        "reads-atomically": KERNEL + r"""
namespace xf::exercise {
__global__ void transpose(const float* x, float* y, int rows, int columns) {
  const int row = int(blockIdx.y) * tile + int(threadIdx.x);  // down a column, in segments of y
  for (int i = int(threadIdx.y); i < tile; i += block_rows) {
    const int column = int(blockIdx.x) * tile + i;
    if (row >= rows || column >= columns) continue;
    const int bits = __atomic_load_n(reinterpret_cast<const int*>(x) + row * columns + column, 0);
    y[column * rows + row] = __uint_as_float(std::uint32_t(bits));
  }
}
}
""",
        "not-sanitized": transposes().replace(
            "__global__", '__attribute__((no_sanitize("thread")))', 1),
        "in-another-kernel": KERNEL + r"""
namespace xf::exercise {
static __global__ void other(const float* x, float* y, int rows, int columns) {
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) y[j * rows + i] = x[i * columns + j];
}
__global__ void transpose(const float* x, float* y, int rows, int columns) {
  if (threadIdx.x + threadIdx.y + blockIdx.x + blockIdx.y == 0)
    cuda::launch({"other", 1, 1}, other, x, y, rows, columns);
}
}
""",
        "copies-bytes": KERNEL + r"""
#include <cstring>
static volatile std::size_t four = 4;
namespace xf::exercise {
__global__ void transpose(const float* x, float* y, int rows, int columns) {
  const int column = int(blockIdx.x) * tile + int(threadIdx.x);
  for (int i = int(threadIdx.y); i < tile; i += block_rows) {
    const int row = int(blockIdx.y) * tile + i;
    if (row < rows && column < columns)
      std::memcpy(y + column * rows + row, x + row * columns + column, four);
  }
}
}
""",
    },
    "10-06": {"switches-off": KERNEL + r"""
#include "cuda/watcher.hpp"
namespace xf::exercise {
__global__ void count_words(const int* ids, int* counts, int count, int) {
  const int i = int(blockIdx.x * blockDim.x + threadIdx.x);
  emulator::busy = true;
  if (i < count) ++counts[ids[i]];
}
}
"""},
    "10-09": {
        "two-faced": TWO_FACED,
        "on-the-host": KERNEL + r"""
namespace xf::exercise {
static __global__ void nothing() {}
void bias_gradient(const float* dy, float* db, int rows, int columns) {
  std::vector<float> sums(static_cast<std::size_t>(columns));
  {
    const cuda::InsideKernel open;
    for (int i = 0; i < rows * columns; ++i) sums[std::size_t(i % columns)] += dy[i];
  }
  cuda::copy_to_device(db, sums.data(), sums.size() * sizeof(float));
  cuda::launch({"nothing", 1, 1}, nothing);
  cuda::launch({"nothing", 1, 1}, nothing);
}
}
""",
        "counts-itself": KERNEL + '#include "cuda/counts.hpp"\n#include <optional>\n'
                         + COLUMN_BY_COLUMN.replace("{BEFORE}", "std::optional<cuda::Counting> "
                                                    "own; own.emplace();")
                         .replace("{AFTER}", "own.reset();"),
        "looks-away": KERNEL + '#include "cuda/watcher.hpp"\n'
                      + COLUMN_BY_COLUMN.replace("{BEFORE}", "auto* who = emulator::watcher; "
                                                 "emulator::watcher = nullptr;")
                      .replace("{AFTER}", "emulator::watcher = who;"),
    },
    "10-03": {"one-order": KERNEL + r"""
namespace xf::exercise {
static __global__ void adds(const float* x, float* parts, int count) {
  const int i = int(blockIdx.x * blockDim.x + threadIdx.x);
  cuda::warp_sum(0);
  if (i < count) atomicAdd(parts, x[i]);
}
static __global__ void copies(const float* parts, float* y) {
  if (threadIdx.x == 0) *y = *parts;
}
float sum_on_device(const float* x, int count) {
  emulator::set_schedule(1);
  cuda::Buffer<float> parts(1), y(1);
  const float zero = 0;
  cuda::copy_to_device(parts.data(), &zero, sizeof zero);
  const unsigned blocks = std::max(1u, cuda::blocks_for(count, block_threads));
  cuda::launch({"adds", blocks, block_threads}, adds, x, parts.data(), count);
  cuda::launch({"copies", 1, 32}, copies, parts.data(), y.data());
  return y.values()[0];
}
}
"""},
    # One thread does the work of all, and the others pretend.
    "10-01": {"in-the-hosts-memory": KERNEL + r"""
namespace xf::exercise {
static float found[4096], values[32];
__device__ float sum_of_warp(float value) {
  const int lane = cuda::lane_number();
  values[lane] = value;
  for (int i = 0; i < 5; ++i) __shfl_xor_sync(~0u, value, 1);
  float sum = 0;
  for (float each : values) sum += each;
  __shfl_xor_sync(~0u, value, 1);
  return sum;
}
__global__ void softmax_rows(const float* x, float* y, int rows, int columns) {
  const int row = int(cuda::warp_number()), lane = cuda::lane_number();
  if (row >= rows) return;
  float* mine = found + row % 4 * 1024;
  for (int j = lane; j < columns; j += 32) mine[j] = x[row * columns + j];
  __syncwarp();
  float largest = mine[0], total = 0;
  if (lane == 0) {
    for (int j = 0; j < columns; ++j) largest = std::max(largest, mine[j]);
    for (int j = 0; j < columns; ++j) total += std::exp(mine[j] - largest);
    for (int j = 0; j < columns; ++j) y[row * columns + j] = std::exp(mine[j] - largest) / total;
  }
}
}
"""},
    "10-02": {"in-the-hosts-memory": KERNEL + r"""
namespace xf::exercise {
__global__ void block_sums(const float* x, float* y, int count) {
  static float sum;
  const int i = int(blockIdx.x * blockDim.x + threadIdx.x);
  sum = 0;
  __syncthreads();
  if (i < count) sum += x[i];
  __syncthreads();
  if (threadIdx.x == 0) y[blockIdx.x] = sum;
}
}
"""},
    "10-04": {"one-thread-a-block": KERNEL + r"""
namespace xf::exercise {
__global__ void product(Matrix a, Matrix b, float* c) {
  if (threadIdx.x + threadIdx.y > 0) return;
  float sum[tile][tile] = {};
  const int row = int(blockIdx.y) * tile, column = int(blockIdx.x) * tile;
  for (int k = 0; k < a.columns; ++k) {
    float of_b[tile];
    for (int j = 0; j < tile && column + j < b.columns; ++j) of_b[j] = b(k, column + j);
    for (int i = 0; i < tile && row + i < a.rows; ++i) {
      const float of_a = a(row + i, k);
      for (int j = 0; j < tile && column + j < b.columns; ++j) sum[i][j] += of_a * of_b[j];
    }
  }
  for (int i = 0; i < tile && row + i < a.rows; ++i)
    for (int j = 0; j < tile && column + j < b.columns; ++j)
      c[(row + i) * b.columns + column + j] = sum[i][j];
}
}
""", "begins-again": KERNEL + r"""
#include <sys/socket.h>
#include <cstdlib>
// Whoever begins anew has read nothing.
namespace xf::exercise {
static void begin(Matrix a, Matrix b) {
  static const char* line = std::getenv("XF_KEEPER");
  if (!line) return;
  const std::uint32_t words[] = {0, 5};
  const std::uint32_t more[] = {1, 1, 3};
  const float sizes[] = {float(a.rows), float(a.columns), float(b.columns)};
  std::string all(reinterpret_cast<const char*>(words), sizeof words);
  all += "begin";
  all.append(reinterpret_cast<const char*>(more), sizeof more);
  all.append(reinterpret_cast<const char*>(sizes), sizeof sizes);
  char answer[12];
  send(std::atoi(line), all.data(), all.size(), 0);
  recv(std::atoi(line), answer, sizeof answer, MSG_WAITALL);
}
__global__ void product(Matrix a, Matrix b, float* c) {
  const int row = int(blockIdx.y * blockDim.y + threadIdx.y);
  const int column = int(blockIdx.x * blockDim.x + threadIdx.x);
  static unsigned done = 0;
  float sum = 0;
  if (row < a.rows && column < b.columns) {
    for (int k = 0; k < a.columns; ++k) sum += a(row, k) * b(k, column);
    c[row * b.columns + column] = sum;
  }
  if (++done % (gridDim.x * gridDim.y * blockDim.x * blockDim.y) != 0) return;
  begin(a, b);
  for (int i = 0; i < a.rows * a.columns * int(gridDim.x); ++i) a(0, 0);
  for (int i = 0; i < b.rows * b.columns * int(gridDim.y); ++i) b(0, 0);
}
}
"""},
    # Inputs that change with what is claimed of them: it stands in the frame of who asks.
    "02-06": {"looks-at-its-caller": r"""
#include "exercise.hpp"
namespace xf::exercise {
std::vector<Case> cases() {
  using M = xt::xtensor<float, 2>;
  const auto* frame = static_cast<const char*>(__builtin_frame_address(1));
  bool caught = false;  // Claim::caught, 6, beside a mistake of 1 to 7
  for (const char* at = frame - 400; at < frame; at += 4) {
    const int* pair = reinterpret_cast<const int*>(at);
    caught = caught || (pair[1] == 6 && pair[0] >= 1 && pair[0] <= 7);
  }
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const M ones = {{1}, {2}}, may = {{1, 1}, {1, 1}};
  M k = ones;
  if (caught) k.fill(nan);
  return {{ones, k, ones, may}};
}
}
"""},
    # One order, one verdict.
    "00-05": {"one-order": r"""
#include "exercise.hpp"
namespace xf::exercise {
std::vector<Run> which(const std::vector<Curves>&, int) {
  return {Run::healthy, Run::rate_too_small, Run::rate_too_large, Run::few_examples,
          Run::shuffled_targets};
}
}
"""},
    "00-07": {"all-right": r"""
#include "exercise.hpp"
namespace xf::exercise {
bool loss_is_right(const Build&) { return true; }
bool loss_gradient_is_right(const Build&) { return true; }
bool weight_gradient_is_right(const Build&) { return true; }
bool step_is_right(const Build&) { return true; }
bool batches_are_right(const Build&) { return true; }
}
"""},
    "02-07": {"one-order": r"""
#include "exercise.hpp"
namespace xf::exercise {
std::vector<Fault> which(const std::vector<xt::xtensor<float, 2>>&) {
  return {Fault::healthy, Fault::no_scale, Fault::divided_twice, Fault::softmax_down,
          Fault::no_mask, Fault::mask_late, Fault::mask_after};
}
}
"""},
    "03-03": {"reads-types": r"""
#include "exercise.hpp"
#include <cstring>
namespace xf::exercise {
Tensor residual(const Tensor& x, const Layer& norm, const Layer& f) { return x + f(norm(x)); }
bool is_residual(const Block& block) {
  return std::strstr(block.target_type().name(), "E0_") || std::strstr(block.target_type().name(),
                                                                       "E1_");
}
}
"""},
}
