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
// queries block by block.
struct RelativeDropout {
  DropoutMask mask;
  std::uint64_t key;  // 0: nothing is dropped
  int t, s;

  explicit RelativeDropout(const RelativeHeads& n)
      : mask(n.dropout, n.key), key(n.key), t(n.t), s(n.s) {}

  constexpr float factor(std::ptrdiff_t head, int query, int at) const {
    if (key == 0) return 1;
    const RelativeBlock b = relative_block_of(query, t, s);
    return mask.factor(std::ptrdiff_t(query - b.first) * b.s + at,
                       mix(key + static_cast<std::uint64_t>(head * t + b.first)));
  }
};

struct Softmax {
  int heads, t, s;
  const std::int32_t* allowed;
  std::ptrdiff_t allowed_step;
  float scale;
};

// One warp per query: p = softmax(scale (scores + by_distance, shifted)), among the allowed keys.
// Distance c of query i belongs to key c - (t-1-i).   scores, by_distance: (B, H, T, S)
__global__ void shift_and_softmax(Softmax n, const float* by_distance, float* scores,
                                  std::ptrdiff_t rows) {
  const std::ptrdiff_t r = cuda::warp_number();
  if (r >= rows) return;
  const std::ptrdiff_t head = r / n.t, i = r % n.t, shift = n.t - 1 - i;
  const std::int32_t* allowed = n.allowed + head / n.heads * n.allowed_step + i * n.s;
  float* row = scores + r * n.s;
  const float* distances = by_distance + r * n.s + shift;
  const int seen = n.s - static_cast<int>(shift);
  for (int j = cuda::lane_number(); j < seen; j += cuda::warp_lanes) row[j] += distances[j];
  warp_softmax(
      n.s, n.scale, [=](int j) { return row[j]; },
      [=](int j) { return j < seen && allowed[j] != 0; }, row);
}

__global__ void drop_weights(RelativeDropout dropout, const float* weights, float* to,
                             std::ptrdiff_t count) {
  const std::ptrdiff_t n = cuda::thread_number();
  if (n >= count) return;
  const std::ptrdiff_t row = n / dropout.s;
  const int query = static_cast<int>(row % dropout.t), at = static_cast<int>(n % dropout.s);
  to[n] = weights[n] * dropout.factor(row / dropout.t, query, at);
}

// One warp per query: ds = scale p (m o - sum over the keys of m o p), by key over `o`, and by
// distance, where 0 stands before the first key.
__global__ void score_gradients(Softmax n, RelativeDropout dropout, const float* weights, float* o,
                                float* by_distance, std::ptrdiff_t rows) {
  const std::ptrdiff_t r = cuda::warp_number();
  if (r >= rows) return;
  const std::ptrdiff_t head = r / n.t;
  const int i = static_cast<int>(r % n.t), shift = n.t - 1 - i;
  float *row = o + r * n.s, *distances = by_distance + r * n.s;
  warp_softmax_backward(
      n.s, n.scale, weights + r * n.s, [=](int j) { return row[j] * dropout.factor(head, i, j); },
      row);
  for (int c = cuda::lane_number(); c < n.s; c += cuda::warp_lanes)
    if (c < shift) distances[c] = 0;
  for (int j = cuda::lane_number(); j < n.s - shift; j += cuda::warp_lanes)
    distances[j + shift] = row[j];
}

// The sizes, and the matrices as stacks: one for each head of each sentence, or, of r, for each
// head.
struct Problem {
  const RelativeHeads& n;
  std::ptrdiff_t stack = std::ptrdiff_t(n.batch) * n.heads;
  std::ptrdiff_t rows = stack * n.t, weights = rows * n.s;
  Softmax softmax{n.heads, n.t, n.s, n.allowed, n.allowed_step, n.scale};

  MatrixStack queries(const float* x) const { return {{x, n.t, n.d_k}, place(n.t)}; }
  ResultStack queries(float* x) const { return {{x, n.t, n.d_k}, place(n.t)}; }
  MatrixStack keys(const float* x) const { return {{x, n.s, n.d_k}, place(n.s)}; }
  ResultStack keys(float* x) const { return {{x, n.s, n.d_k}, place(n.s)}; }
  MatrixStack scores(const float* x) const { return {{x, n.t, n.s}, std::ptrdiff_t(n.t) * n.s}; }
  ResultStack scores(float* x) const { return {{x, n.t, n.s}, std::ptrdiff_t(n.t) * n.s}; }
  // The last s rows of each head's r.
  MatrixStack distances(const float* r) const {
    return {{r + place(n.r_rows - n.s), n.s, n.d_k}, place(n.r_rows)};
  }
  ResultStack distances(float* r) const {
    return {{r + place(n.r_rows - n.s), n.s, n.d_k}, place(n.r_rows)};
  }
  std::ptrdiff_t place(int row) const { return std::ptrdiff_t(row) * n.d_k; }
};

std::size_t size(std::ptrdiff_t count) { return static_cast<std::size_t>(count); }

// The weights times the dropout's factors, in memory of their own; or the weights themselves.
class Dropped {
 public:
  Dropped(const Problem& p, const float* weights)
      : own_(p.n.key == 0 ? 0 : size(p.weights)), data_(p.n.key == 0 ? weights : own_.data()) {
    if (p.n.key == 0) return;
    cuda::launch(cuda::one_thread_each("drop_weights", p.weights), drop_weights,
                 RelativeDropout(p.n), weights, own_.data(), p.weights);
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
  cuda::Buffer<float> own(kept ? 0 : size(p.weights)), by_distance(size(p.weights));
  float* weights = kept ? kept : own.data();
  gemm_stacks(p.stack, p.queries(heads.q_u), transposed(p.keys(heads.k)), p.scores(weights));
  for (std::ptrdiff_t b = 0; b < heads.batch; ++b)
    gemm_stacks(heads.heads, p.queries(heads.q_v).from(b * heads.heads),
                transposed(p.distances(heads.r)),
                p.scores(by_distance.data()).from(b * heads.heads));
  cuda::launch(cuda::one_warp_each("shift_and_softmax", p.rows), shift_and_softmax, p.softmax,
               by_distance.data(), weights, p.rows);
  const Dropped used(p, weights);
  gemm_stacks(p.stack, p.scores(used.data()), p.keys(heads.v), p.queries(y));
}

template <>
void attend_relative_backward(Cuda, const RelativeHeads& heads, const float* kept, const float* dy,
                              const RelativeGradients& to) {
  const Problem p{heads};
  cuda::Buffer<float> ds(size(p.weights)), by_distance(size(p.weights));
  const Onto sum{.sum = true};
  if (to.v) {
    const Dropped used(p, kept);
    gemm_stacks(p.stack, transposed(p.scores(used.data())), p.queries(dy), p.keys(to.v), sum);
  }
  gemm_stacks(p.stack, p.queries(dy), transposed(p.keys(heads.v)), p.scores(ds.data()));
  cuda::launch(cuda::one_warp_each("score_gradients", p.rows), score_gradients, p.softmax,
               RelativeDropout(heads), kept, ds.data(), by_distance.data(), p.rows);
  const float *by_key = ds.data(), *of_r = by_distance.data();
  if (to.q_u) gemm_stacks(p.stack, p.scores(by_key), p.keys(heads.k), p.queries(to.q_u), sum);
  if (to.k)
    gemm_stacks(p.stack, transposed(p.scores(by_key)), p.queries(heads.q_u), p.keys(to.k), sum);
  for (std::ptrdiff_t first = 0; first < p.stack; first += heads.heads) {
    const MatrixStack scores = p.scores(of_r).from(first);
    if (to.q_v)
      gemm_stacks(heads.heads, scores, p.distances(heads.r), p.queries(to.q_v).from(first), sum);
    if (to.r)
      gemm_stacks(heads.heads, transposed(scores), p.queries(heads.q_v).from(first),
                  p.distances(to.r), sum);
  }
}

template <>
void relative_weights(Cuda, const RelativeHeads& heads, const float* kept, float* to) {
  cuda::copy_on_device(to, kept, size(Problem{heads}.weights) * sizeof(float));
}

}  // namespace xf::kernel
