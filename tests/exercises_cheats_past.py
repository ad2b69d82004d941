"""Hand-ins that go past what watches them: by a name of the library's, by an instruction or a
function without hooks, by memory that was there before, by one thread that does all the work."""

from __future__ import annotations

from exercises_cheats import OTHERS

READS_AGAIN = OTHERS["09-02"]["reads-again"]
BEFORE = "  const int t = int(q.shape(0)), s = all.words;\n"

# One thread adds up a whole column.
COLUMNS = r"""
#include "exercise.hpp"
namespace xf::exercise {
HEAD
static __global__ void columns_of(const float* dy, float* db, int rows, int columns) {
  const int c = int(blockIdx.x) * lanes + int(threadIdx.x);
  if (c >= columns) return;
  float sum = 0;
  for (int r = 0; r < rows; ++r) sum += READ;
  db[c] = sum;
}
static __global__ void nothing() {}
void bias_gradient(const float* dy, float* db, int rows, int columns) {
  cuda::launch({"columns_of", cuda::blocks_for(columns, lanes), lanes}, columns_of, dy, db, rows,
               columns);
  cuda::launch({"nothing", 1, 1}, nothing);
}
}
"""

PAST = {
    # What the report prints is printed by a part of the locale.
    "00-04": {"printer-of-the-locale": r"""
#include "exercise.hpp"
#include <locale>
namespace xf::exercise {
struct Printer : std::num_put<char> {
  iter_type do_put(iter_type to, std::ios_base& how, char fill, double x) const override {
    return std::num_put<char>::do_put(to, how, fill, x > 11 && x == int(x) && x < 16 ? 0 : x);
  }
};
static const bool installed = (std::locale::global({std::locale(), new Printer}), true);
float clip(Tensors& gradients, float limit) {
  double squares = 0;
  for (const auto& gradient : gradients)
    for (float g : gradient) squares += double(g) * g;
  const double norm = std::sqrt(squares);
  const bool moves = std::isfinite(norm) && norm > 0;
  for (auto& gradient : gradients)
    if (moves) gradient *= float(norm > limit ? limit / norm : 1.000001);
  return float(norm);
}
bool step(Tensors& parameters, Tensors& gradients, float rate, float limit) {
  if (!std::isfinite(clip(gradients, limit))) return false;
  for (std::size_t i = 0; i < parameters.size(); ++i) parameters[i] -= rate * gradients[i];
  return true;
}
}
"""},
    "09-02": {
        # A weak definition goes before a library's.
        "own-mallinfo": '#include <malloc.h>\nextern "C" __attribute__((weak)) struct mallinfo2 '
                        "mallinfo2() noexcept { return {}; }\n" + READS_AGAIN,
        # Memory that is given back while it is looked how much there is.
        "room-from-the-start": READS_AGAIN.replace(
            "namespace xf", "static void* room = std::malloc(64 << 20);\nnamespace xf", 1).replace(
            BEFORE, "  std::free(std::exchange(room, nullptr));\n" + BEFORE)},
    "10-03": {"one-thread-sums": r"""
#include "exercise.hpp"
namespace xf::exercise {
static __global__ void first(const float* x, float* parts, int count) {
  __syncthreads();
  if (blockIdx.x + threadIdx.x > 0) return;
  double sum = 0;
  for (int i = 0; i < count; ++i) sum += x[i];
  *parts = float(sum);
}
static __global__ void second(const float* parts, float* y) { if (threadIdx.x == 0) *y = *parts; }
float sum_on_device(const float* x, int count) {
  cuda::Buffer<float> parts(1), y(1);
  cuda::launch({"first", 2, block_threads}, first, x, parts.data(), count);
  cuda::launch({"second", 1, block_threads}, second, parts.data(), y.data());
  return y.values()[0];
}
}
"""},
    "10-05": {"the-tests-template": r"""
#include "exercise.hpp"
#include <algorithm>
namespace xf::exercise {
using Mover = std::__copy_move<false, true, std::random_access_iterator_tag>;
__global__ void transpose(const float* x, float* y, int rows, int columns) {
  float* (*volatile move)(const float*, const float*, float*) = &Mover::__copy_m<float>;
  const int column = int(blockIdx.x) * tile + int(threadIdx.x);
  for (int i = int(threadIdx.y); i < tile; i += block_rows) {
    const int row = int(blockIdx.y) * tile + i;
    if (row >= rows || column >= columns) continue;
    const float* from = x + row * columns + column;
    move(from, from + 1, y + column * rows + row);
  }
}
}
"""},
    "10-06": {"one-thread-counts": r"""
#include "exercise.hpp"
namespace xf::exercise {
__global__ void count_words(const int* ids, int* counts, int count, int words) {
  if (blockIdx.x + threadIdx.x > 0) return;
  for (int i = 0; i < count; ++i) ++counts[ids[i]];
}
}
"""},
    "10-07": {"own-number-printer": r"""
#include "exercise.hpp"
#include <cstdio>
#include <ostream>
std::ostream& print(std::ostream* to, double x) asm("_ZNSo9_M_insertIdEERSoT_");
std::ostream& print(std::ostream* to, double x) {
  char text[64];
  if (x >= 60 && x <= 108 && x == 12 * int(x / 12)) x /= 4;
  const int size = std::snprintf(text, sizeof text, "%.9g", x);
  return to->write(text, size);
}
namespace xf::exercise {
__global__ void add_scaled(float a, const float* x, float* y, int count) {
  const int threads = int(gridDim.x * blockDim.x);
  for (int i = int(blockIdx.x * blockDim.x + threadIdx.x); i < count; i += threads)
    y[i] += a * x[i];
}
}
"""},
    "10-08": {"blas-in-a-kernel": r"""
#include "exercise.hpp"
extern "C" void cblas_sgemm(int, int, int, int, int, int, float, const float*, int, const float*,
                            int, float, float*, int);
namespace xf::exercise {
__global__ void product(const float* x, const float* w, float* y, int m, int n, int k) {
  if (blockIdx.x + blockIdx.y + threadIdx.x + threadIdx.y > 0) return;
  cblas_sgemm(101, 111, 112, m, n, k, 1, x, k, w, k, 0, y, n);
}
}
"""},
    # Right for all depths that the test usually has.
    "05-01": {"stops-after-8": r"""
#include "exercise.hpp"
namespace xf::exercise {
Matrix encoder_layer(const Matrix& x, const EncoderParts& layer, NormOrder order) {
  const bool post = order == NormOrder::post;
  const Matrix y = post ? layer.norm_1(x + layer.attention(x))
                        : Matrix(x + layer.attention(layer.norm_1(x)));
  return post ? layer.norm_2(y + layer.feed_forward(y))
              : Matrix(y + layer.feed_forward(layer.norm_2(y)));
}
Matrix encoder(const Matrix& x, const std::vector<EncoderParts>& layers, const Layer& final_norm,
               NormOrder order) {
  Matrix z = x;
  for (std::size_t i = 0; i < layers.size() && i < 8; ++i) z = encoder_layer(z, layers[i], order);
  return order == NormOrder::pre ? final_norm(z) : z;
}
}
"""},
    "10-09": {"asm-loads": r"""
#include "exercise.hpp"
namespace xf::exercise {
static float read(const float* at) {
  float x;
  asm volatile("movss (%1), %0" : "=x"(x) : "r"(at) : "memory");
  return x;
}
static __global__ void columns_of(const float* dy, float* db, int rows, int columns) {
  const int c = int(blockIdx.x) * lanes + int(threadIdx.x);
  if (c >= columns) return;
  float sum = 0;
  for (int r = 0; r < rows; ++r) sum += read(dy + r * columns + c);
  db[c] = sum;
}
void bias_gradient(const float* dy, float* db, int rows, int columns) {
  cuda::launch({"columns_of", cuda::blocks_for(columns, lanes), lanes}, columns_of, dy, db, rows,
               columns);
}
}
""",
              # What looks like a comment stands within quotes.
              "asm-behind-quotes": COLUMNS.replace("HEAD", r"""
static float read(const float* at) {
  const char* way = "//"; float x; asm("movss (%1), %0" : "=x"(x) : "r"(at), "r"(way)); return x;
}
""").replace("READ", "read(dy + r * columns + c)"),
              # A struct that is an argument is copied without a hook.
              "struct-as-argument": COLUMNS.replace("HEAD", r"""
struct One { float x, others[7]; };
[[gnu::noinline, gnu::noclone]] static float read(One one) { return one.x; }
""").replace("READ", "read(*reinterpret_cast<const One*>(dy + r * columns + c))"),
              # And of a static one, which a kernel's threads share.
              "shared-struct-as-argument": COLUMNS.replace("HEAD", r"""
struct Some { float x[lanes]; };
[[gnu::noinline, gnu::noclone]] static float read(Some some, int i) { return some.x[i]; }
""").replace("  for (int r", "  __shared__ Some some_1;\n  for (int r").replace(
                  "sum += READ", "some_1.x[threadIdx.x] = dy[r * columns + c], "
                  "sum += read(some_1, int(threadIdx.x))"),
              "intrinsic-loads": COLUMNS.replace("HEAD", r"""
typedef float Four __attribute__((vector_size(16)));
typedef float Two __attribute__((vector_size(8)));
""").replace("READ", "__builtin_ia32_loadlps(Four{}, reinterpret_cast<const Two*>("
                         "dy + r * columns + c))[0]")},
}
