#include "cuda/launch.hpp"
#include "ops/attention/kernels.hpp"
#include "ops/attention/relative_blocks.hpp"
#include "ops/dropout/bits.hpp"
#include "ops/matmul/cuda_stacks.hpp"
#include "ops/softmax/cuda_row.hpp"
#include "tensor/random.hpp"

namespace xf::kernel {

namespace {

// Which dropout factor belongs to a weight: the same one as on the CPU, which goes through the
// queries block by block. What a whole row shares is computed once.
struct RelativeDropout {
  DropoutMask mask;
  std::uint64_t key;  // 0: nothing is dropped
  int t, s;

  explicit RelativeDropout(const RelativeHeads& n)
      : mask(n.dropout, n.key), key(n.key), t(n.t), s(n.s) {}

  struct Row {
    DropoutMask mask;
    std::uint64_t key;
    std::ptrdiff_t first;
    bool used;

    __device__ float factor(int at) const { return used ? mask.factor(first + at, key) : 1.0f; }
  };
  __device__ Row row(std::ptrdiff_t head, int query) const {
    const RelativeBlock b = relative_block_of(query, t, s);
    return {mask, mix(key + static_cast<std::uint64_t>(head * t + b.first)),
            std::ptrdiff_t(query - b.first) * b.s, key != 0};
  }
};

struct Softmax {
  int batch, heads, t, s;
  const std::int32_t* allowed;
  std::ptrdiff_t allowed_step;
  float scale;
};

// A row of scores: a query of a head of a sentence. Scores by key lie as (B, H, T, S), those by
// distance as (H, B, T, S), so that one product makes those of a head of all sentences.
struct ScoreRow {
  std::ptrdiff_t head, of_head;  // of all heads of all sentences, in either order
  int query;

  __device__ ScoreRow(const Softmax& n, std::ptrdiff_t r)
      : head(r / n.t),
        of_head(head % n.heads * n.batch + head / n.heads),
        query(static_cast<int>(r - head * n.t)) {}
};

// One warp per query: p = softmax(scale (scores + by_distance, shifted)), among the allowed keys,
// over `scores`; and p, dropped, where that is asked for. Distance c of query i belongs to key
// c - (t-1-i).
__global__ void shift_and_softmax(Softmax n, RelativeDropout dropout, const float* by_distance,
                                  float* scores, float* dropped, std::ptrdiff_t rows) {
  const std::ptrdiff_t r = cuda::warp_number();
  if (r >= rows) return;
  const ScoreRow at(n, r);
  const int shift = n.t - 1 - at.query, seen = n.s - shift;
  const std::int32_t* allowed =
      n.allowed + at.head / n.heads * n.allowed_step + std::ptrdiff_t(at.query) * n.s;
  float* row = scores + r * n.s;
  const float* distances = by_distance + (at.of_head * n.t + at.query) * n.s + shift;
  for (int j = cuda::lane_number(); j < seen; j += cuda::warp_lanes) row[j] += distances[j];
  warp_softmax(
      n.s, n.scale, [=](int j) { return row[j]; },
      [=](int j) { return j < seen && allowed[j] != 0; }, row);
  if (!dropped) return;
  const RelativeDropout::Row mask = dropout.row(at.head, at.query);
  for (int j = cuda::lane_number(); j < n.s; j += cuda::warp_lanes)
    dropped[r * n.s + j] = row[j] * mask.factor(j);
}

// One warp per query.
__global__ void drop_weights(Softmax n, RelativeDropout dropout, const float* weights, float* to,
                             std::ptrdiff_t rows) {
  const std::ptrdiff_t r = cuda::warp_number();
  if (r >= rows) return;
  const ScoreRow at(n, r);
  const RelativeDropout::Row mask = dropout.row(at.head, at.query);
  for (int j = cuda::lane_number(); j < n.s; j += cuda::warp_lanes)
    to[r * n.s + j] = weights[r * n.s + j] * mask.factor(j);
}

// One warp per query: ds = scale p (m o - sum over the keys of m o p), by key over `o`, and by
// distance, where 0 stands before the first key.
__global__ void score_gradients(Softmax n, RelativeDropout dropout, const float* weights, float* o,
                                float* by_distance, std::ptrdiff_t rows) {
  const std::ptrdiff_t r = cuda::warp_number();
  if (r >= rows) return;
  const ScoreRow at(n, r);
  const int shift = n.t - 1 - at.query;
  const RelativeDropout::Row mask = dropout.row(at.head, at.query);
  float *row = o + r * n.s, *distances = by_distance + (at.of_head * n.t + at.query) * n.s;
  warp_softmax_backward(
      n.s, n.scale, weights + r * n.s, [=](int j) { return row[j] * mask.factor(j); }, row);
  for (int c = cuda::lane_number(); c < n.s; c += cuda::warp_lanes)
    if (c < shift) distances[c] = 0;
  for (int j = cuda::lane_number(); j < n.s - shift; j += cuda::warp_lanes)
    distances[j + shift] = row[j];
}

// y (B, A, size) = x (A, B, size), or y += x: the heads of all sentences in the other order.
__global__ void swap_first_axes(const float* x, float* y, int a, int b, std::ptrdiff_t size,
                                bool sum) {
  for (int from = static_cast<int>(blockIdx.y); from < a * b; from += static_cast<int>(gridDim.y)) {
    const float* block = x + from * size;
    float* to = y + (std::ptrdiff_t(from % b) * a + from / b) * size;
    for (std::ptrdiff_t i = cuda::thread_number(); i < size;
         i += std::ptrdiff_t(gridDim.x) * blockDim.x)
      to[i] = sum ? to[i] + block[i] : block[i];
  }
}

void swap_heads(const float* x, float* y, int a, int b, std::ptrdiff_t size, bool sum) {
  const int most = 65535;  // blocks in y
  const dim3 grid(cuda::blocks_for(size, 4 * cuda::block_threads),
                  static_cast<unsigned>(a * b < most ? a * b : most));
  cuda::launch({"swap_first_axes", grid, cuda::block_threads}, swap_first_axes, x, y, a, b, size,
               sum);
}

// The sizes, and the matrices as stacks: one for each head of each sentence, or, of what r is
// multiplied by, for each head.
struct Problem {
  const RelativeHeads& n;
  std::ptrdiff_t stack = std::ptrdiff_t(n.batch) * n.heads;
  std::ptrdiff_t rows = stack * n.t, weights = rows * n.s;
  Softmax softmax{n.batch, n.heads, n.t, n.s, n.allowed, n.allowed_step, n.scale};

  MatrixStack queries(const float* x) const { return {{x, n.t, n.d_k}, place(n.t)}; }
  ResultStack queries(float* x) const { return {{x, n.t, n.d_k}, place(n.t)}; }
  MatrixStack keys(const float* x) const { return {{x, n.s, n.d_k}, place(n.s)}; }
  ResultStack keys(float* x) const { return {{x, n.s, n.d_k}, place(n.s)}; }
  MatrixStack scores(const float* x) const { return {{x, n.t, n.s}, std::ptrdiff_t(n.t) * n.s}; }
  ResultStack scores(float* x) const { return {{x, n.t, n.s}, std::ptrdiff_t(n.t) * n.s}; }

  // The same of each head, of all sentences: (H, B T, Dk) and (H, B T, S).
  template <class Number>
  auto queries_of_heads(Number* x) const {
    return matrices(x, n.batch * n.t, n.d_k);
  }
  template <class Number>
  auto scores_of_heads(Number* x) const {
    return matrices(x, n.batch * n.t, n.s);
  }
  // The last s rows of each head's r.
  MatrixStack distances(const float* r) const {
    return {{r + place(n.r_rows - n.s), n.s, n.d_k}, place(n.r_rows)};
  }
  ResultStack distances(float* r) const {
    return {{r + place(n.r_rows - n.s), n.s, n.d_k}, place(n.r_rows)};
  }
  std::ptrdiff_t place(int row) const { return std::ptrdiff_t(row) * n.d_k; }

  static MatrixStack matrices(const float* x, int rows, int columns) {
    return {{x, rows, columns}, std::ptrdiff_t(rows) * columns};
  }
  static ResultStack matrices(float* x, int rows, int columns) {
    return {{x, rows, columns}, std::ptrdiff_t(rows) * columns};
  }
};

std::size_t size(std::ptrdiff_t count) { return static_cast<std::size_t>(count); }

// Queries by head, (H, B, T, Dk). Of one sentence they are the same.
class ByHead {
 public:
  ByHead(const Problem& p, const float* x)
      : own_(p.n.batch == 1 ? 0 : size(p.rows * p.n.d_k)),
        data_(p.n.batch == 1 ? x : own_.data()) {
    if (p.n.batch > 1) swap_heads(x, own_.data(), p.n.batch, p.n.heads, p.place(p.n.t), false);
  }
  const float* data() const { return data_; }

 private:
  cuda::Buffer<float> own_;
  const float* data_;
};

}  // namespace

template <>
void attend_relative(Cuda, const RelativeHeads& heads, float* kept, float* y) {
  const Problem p{heads};
  const bool drops = heads.key != 0;
  cuda::Buffer<float> own(kept ? 0 : size(p.weights)), dropped(drops ? size(p.weights) : 0),
      by_distance(size(p.weights));
  float* weights = kept ? kept : own.data();
  gemm_stacks(p.stack, p.queries(heads.q_u), transposed(p.keys(heads.k)), p.scores(weights));
  gemm_stacks(heads.heads, p.queries_of_heads(ByHead(p, heads.q_v).data()),
              transposed(p.distances(heads.r)), p.scores_of_heads(by_distance.data()));
  cuda::launch(cuda::one_warp_each("shift_and_softmax", p.rows), shift_and_softmax, p.softmax,
               RelativeDropout(heads), by_distance.data(), weights,
               drops ? dropped.data() : nullptr, p.rows);
  const float* used = drops ? dropped.data() : weights;
  gemm_stacks(p.stack, p.scores(used), p.keys(heads.v), p.queries(y));
}

template <>
void attend_relative_backward(Cuda, const RelativeHeads& heads, const float* kept, const float* dy,
                              const RelativeGradients& to) {
  const Problem p{heads};
  cuda::Buffer<float> ds(size(p.weights)), by_distance(size(p.weights));
  const Onto sum{.sum = true};
  if (to.v) {
    const float* used = kept;
    if (heads.key != 0) {  // where ds will be
      cuda::launch(cuda::one_warp_each("drop_weights", p.rows), drop_weights, p.softmax,
                   RelativeDropout(heads), kept, ds.data(), p.rows);
      used = ds.data();
    }
    gemm_stacks(p.stack, transposed(p.scores(used)), p.queries(dy), p.keys(to.v), sum);
  }
  gemm_stacks(p.stack, p.queries(dy), transposed(p.keys(heads.v)), p.scores(ds.data()));
  cuda::launch(cuda::one_warp_each("score_gradients", p.rows), score_gradients, p.softmax,
               RelativeDropout(heads), kept, ds.data(), by_distance.data(), p.rows);
  const float *by_key = ds.data(), *of_r = by_distance.data();
  if (to.q_u) gemm_stacks(p.stack, p.scores(by_key), p.keys(heads.k), p.queries(to.q_u), sum);
  if (to.k)
    gemm_stacks(p.stack, transposed(p.scores(by_key)), p.queries(heads.q_u), p.keys(to.k), sum);
  const MatrixStack scores = p.scores_of_heads(of_r);
  if (to.r)
    gemm_stacks(heads.heads, transposed(scores),
                p.queries_of_heads(ByHead(p, heads.q_v).data()), p.distances(to.r), sum);
  if (!to.q_v) return;
  if (heads.batch == 1) {
    gemm_stacks(heads.heads, scores, p.distances(heads.r), p.queries_of_heads(to.q_v), sum);
    return;
  }
  cuda::Buffer<float> by_head(size(p.rows * p.n.d_k));
  gemm_stacks(heads.heads, scores, p.distances(heads.r), p.queries_of_heads(by_head.data()));
  swap_heads(by_head.data(), to.q_v, heads.heads, heads.batch, p.place(p.n.t), true);
}

template <>
void relative_weights(Cuda, const RelativeHeads& heads, const float* kept, float* to) {
  cuda::copy_on_device(to, kept, size(Problem{heads}.weights) * sizeof(float));
}

}  // namespace xf::kernel
