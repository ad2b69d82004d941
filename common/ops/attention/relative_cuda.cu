#include <memory>
#include <type_traits>

#include "cuda/launch.hpp"
#include "cuda/narrow.hpp"
#include "ops/attention/kernels.hpp"
#include "ops/attention/relative_blocks.hpp"
#include "ops/dropout/bits.hpp"
#include "ops/matmul/cuda_stacks.hpp"
#include "ops/matmul/precision.hpp"
#include "tensor/random.hpp"

namespace xf::kernel {

namespace {

// The dropout factor that belongs to a weight: the same one as on the CPU, which processes the
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
    std::uint32_t first;
    bool used;

    __device__ float kept() const { return used ? mask.kept : 1.0f; }
    __device__ float factor(int at) const {
      return used ? mask.factor(first + static_cast<std::uint32_t>(at), key) : 1.0f;
    }
  };
  __device__ Row row(std::ptrdiff_t head, int query) const {
    const RelativeBlock b = relative_block_of(query, t, s);
    return {mask, mix(key + static_cast<std::uint64_t>(head * t + b.first)),
            static_cast<std::uint32_t>(query - b.first) * static_cast<std::uint32_t>(b.s),
            key != 0};
  }
};

struct Softmax {
  int batch, heads, t, s;
  const std::int32_t* allowed;
  std::ptrdiff_t allowed_step;
  float scale;
};

// A row of scores: one query of one head of one sentence. Scores by key are stored as (B, H, T, S),
// those by distance as (H, B, T, S), so that one product covers a head in all sentences.
struct ScoreRow {
  unsigned all, head, sentence;  // `all`: the head's index over all sentences
  int query;
  std::ptrdiff_t by_key, by_distance;  // where it begins

  __device__ ScoreRow(const Softmax& n, unsigned r) {  // 32 bits: 64-bit divisions are slow
    all = r / unsigned(n.t);
    query = static_cast<int>(r - all * unsigned(n.t));
    sentence = all / unsigned(n.heads);
    head = all - sentence * unsigned(n.heads);
    by_key = std::ptrdiff_t(r) * n.s;
    by_distance = (std::ptrdiff_t(head * unsigned(n.batch) + sentence) * n.t + query) * n.s;
  }
};

__device__ void put(float* to, std::ptrdiff_t i, float x) { to[i] = x; }
__device__ void put(cuda::Bfloat16* to, std::ptrdiff_t i, float x) { to[i] = cuda::to_bfloat16(x); }

// One block handles one row, in chunks of eight numbers per thread, kept in registers: a row of one
// chunk is read once. Inputs of products are written in the format that these read, `Number`: float
// or bfloat16.
constexpr int each = 8;

cuda::Launch one_block_each_row(const char* kernel, std::ptrdiff_t rows, int columns) {
  const unsigned warps = cuda::blocks_for(columns, each * cuda::warp_lanes), most = 8;
  return {kernel, static_cast<unsigned>(rows), (warps < most ? warps : most) * cuda::warp_lanes};
}

// The position of this thread's number m in the chunk that begins at `first`.
__device__ int place_of(int first, int m) {
  return first + static_cast<int>(threadIdx.x) + m * cuda::threads_of_block();
}

// Shared memory of the block, in a function that is no template (see cuda/emulator.hpp).
__device__ float* scratch_of_block() {
  __shared__ float scratch[cuda::warp_lanes];
  return scratch;
}

// Overwrites `scores` with p = softmax(scale (scores + by_distance, shifted)), over the allowed
// keys, and writes p after dropout to `factors` unless that is null. Distance c of query i belongs
// to key c - (t-1-i).
template <class Number>
__global__ void __launch_bounds__(cuda::block_threads, 4)
    shift_and_softmax(Softmax n, RelativeDropout dropout, const float* by_distance, float* scores,
                      Number* factors) {
  const ScoreRow at(n, blockIdx.x);
  float* scratch = scratch_of_block();
  const int chunk = each * cuda::threads_of_block();
  const int shift = n.t - 1 - at.query, seen = n.s - shift;
  const std::int32_t* allowed =
      n.allowed + at.sentence * n.allowed_step + std::ptrdiff_t(at.query) * n.s;
  float* row = scores + at.by_key;
  const float* distances = by_distance + at.by_distance + shift;
  if (factors) factors += at.by_key;
  float x[each];  // -infinity where a key is not seen: its score may be NaN
  const auto read = [&](int first) {
    for (int m = 0; m < each; ++m) {
      const int j = place_of(first, m);
      x[m] = j < seen && allowed[j] != 0 ? row[j] + distances[j] : -INFINITY;
    }
  };
  float top = -INFINITY, sum = 0;
  const auto power = [&](float score) {
    return score == -INFINITY ? 0.0f : expf(n.scale * (score - top));
  };
  for (int first = 0; first < n.s; first += chunk) {
    read(first);
    const float before = top;
    for (int m = 0; m < each; ++m) top = fmaxf(top, x[m]);
    top = cuda::block_max(top, scratch);
    float part = 0;
    for (int m = 0; m < each; ++m) part += x[m] = power(x[m]);
    sum = sum * power(before) + cuda::block_sum(part, scratch);
  }
  const float factor = sum == 0 ? 0 : 1 / sum;
  const RelativeDropout::Row mask = dropout.row(at.all, at.query);
  for (int first = 0; first < n.s; first += chunk) {
    if (n.s > chunk) {  // only the last chunk's powers are kept
      read(first);
      for (int m = 0; m < each; ++m) x[m] = power(x[m]);
    }
    for (int m = 0; m < each; ++m) {
      const int j = place_of(first, m);
      if (j >= n.s) continue;
      const float p = x[m] * factor;
      row[j] = p;
      if (factors) put(factors, j, p * mask.factor(j));
    }
  }
}

// ds = scale p (m o - sum over the keys of m o p), by key, possibly overwriting `o`, and by
// distance, with 0 before the first key; also m p, written to `factors` unless that is null.
template <class Number>
__global__ void __launch_bounds__(cuda::block_threads, 4)
    score_gradients(Softmax n, RelativeDropout dropout, const float* weights, const float* o,
                    Number* by_key, Number* by_distance, Number* factors) {
  const ScoreRow at(n, blockIdx.x);
  const int chunk = each * cuda::threads_of_block(), shift = n.t - 1 - at.query;
  const RelativeDropout::Row mask = dropout.row(at.all, at.query);
  weights += at.by_key;
  o += at.by_key;
  by_key += at.by_key;
  by_distance += at.by_distance;
  if (factors) factors += at.by_key;
  float p[each], up[each];  // m o
  std::uint32_t kept = 0;   // a bit for each m that is not 0
  const auto read = [&](int first) {
    for (int m = 0; m < each; ++m) {
      const int j = place_of(first, m);
      p[m] = j < n.s ? weights[j] : 0.0f;
      const float factor = mask.factor(j);
      kept = (kept & ~(1u << m)) | (factor != 0 ? 1u << m : 0u);
      up[m] = j < n.s ? o[j] * factor : 0.0f;
    }
  };
  float dot = 0;
  for (int first = 0; first < n.s; first += chunk) {
    read(first);
    for (int m = 0; m < each; ++m) dot += p[m] * up[m];
  }
  dot = cuda::block_sum(dot, scratch_of_block());
  for (int first = 0; first < n.s; first += chunk) {
    if (n.s > chunk) read(first);
    for (int m = 0; m < each; ++m) {
      const int j = place_of(first, m);
      if (j >= n.s) continue;
      const float ds = n.scale * p[m] * (up[m] - dot);
      put(by_key, j, ds);
      if (j + shift < n.s) put(by_distance, j + shift, ds);
      if (j < shift) put(by_distance, j, 0);
      if (factors) put(factors, j, (kept >> m & 1) != 0 ? p[m] * mask.kept() : 0.0f);
    }
  }
}

// y (B, A, size) = x (A, B, size), or y += x: swaps the order of heads and sentences.
template <class Number>
__global__ void swap_first_axes(const float* x, Number* y, int a, int b, std::ptrdiff_t size,
                                bool sum) {
  for (int from = static_cast<int>(blockIdx.y); from < a * b; from += static_cast<int>(gridDim.y)) {
    const float* block = x + from * size;
    Number* to = y + (std::ptrdiff_t(from % b) * a + from / b) * size;
    for (std::ptrdiff_t i = cuda::thread_number(); i < size;
         i += std::ptrdiff_t(gridDim.x) * blockDim.x)
      put(to, i, sum ? cuda::to_float(to[i]) + block[i] : block[i]);
  }
}

template <class Number>
void swap_heads(const float* x, Number* y, int a, int b, std::ptrdiff_t size, bool sum) {
  const int most = 65535;  // blocks in y
  const dim3 grid(cuda::blocks_for(size, 4 * cuda::block_threads),
                  static_cast<unsigned>(a * b < most ? a * b : most));
  cuda::launch({"swap_first_axes", grid, cuda::block_threads}, swap_first_axes<Number>, x, y, a, b,
               size, sum);
}

// The sizes, and the matrices as stacks: one for each head of each sentence or, for those
// multiplied by r, one for each head.
struct Problem {
  const RelativeHeads& n;
  std::ptrdiff_t stack = std::ptrdiff_t(n.batch) * n.heads;
  std::ptrdiff_t rows = stack * n.t, weights = rows * n.s;
  Softmax softmax{n.batch, n.heads, n.t, n.s, n.allowed, n.allowed_step, n.scale};

  MatrixStack queries(const Input& x) const {
    return {{x, n.t, n.d_k, n.d_k, false, x.form}, place(n.t)};
  }
  ResultStack queries(float* x) const { return {{x, n.t, n.d_k}, place(n.t)}; }
  MatrixStack keys(const Input& x) const {
    return {{x, n.s, n.d_k, n.d_k, false, x.form}, place(n.s)};
  }
  ResultStack keys(float* x) const { return {{x, n.s, n.d_k}, place(n.s)}; }
  MatrixStack scores(const float* x) const { return {{x, n.t, n.s}, std::ptrdiff_t(n.t) * n.s}; }
  ResultStack scores(float* x) const { return {{x, n.t, n.s}, std::ptrdiff_t(n.t) * n.s}; }

  // The same for each head, over all sentences: (H, B T, Dk) and (H, B T, S).
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

// A kernel's output that is an input of products: floats, or their bfloat16 copy.
template <class Number>
class Factors {
 public:
  explicit Factors(std::ptrdiff_t count)
      : numbers_(std::make_shared<cuda::Buffer<Number>>(size(count))), bf16_(numbers_) {}
  Number* data() { return numbers_->data(); }
  // A stack with the sizes of `like`, stored in this memory.
  MatrixStack as(MatrixStack like) {
    if constexpr (std::is_same_v<Number, float>)
      like.first.data = data();
    else
      like.first.form = &bf16_;
    return like;
  }

 private:
  std::shared_ptr<cuda::Buffer<Number>> numbers_;
  std::shared_ptr<void> bf16_;
};

// Queries by head, (H, B, T, Dk). With only one sentence no copy is needed.
template <class Number>
class ByHead {
 public:
  ByHead(const Problem& p, const Input& x)
      : own_(p.n.batch == 1 ? 0 : p.rows * p.n.d_k), queries_(p.queries_of_heads(x.data)) {
    queries_.first.form = p.n.batch == 1 ? x.form : nullptr;
    if (p.n.batch == 1) return;
    swap_heads(x.data, own_.data(), p.n.batch, p.n.heads, p.place(p.n.t), false);
    queries_ = own_.as(queries_);
  }
  const MatrixStack& queries() const { return queries_; }

 private:
  Factors<Number> own_;
  MatrixStack queries_;
};

template <class Number>
void attend(const RelativeHeads& heads, float* kept, float* y) {
  const Problem p{heads};
  const bool writes = heads.key != 0 || !std::is_same_v<Number, float>;
  cuda::Buffer<float> own(kept ? 0 : size(p.weights)), by_distance(size(p.weights));
  Factors<Number> factors(writes ? p.weights : 0);
  float* weights = kept ? kept : own.data();
  gemm_stacks(p.stack, p.queries(heads.q_u), transposed(p.keys(heads.k)), p.scores(weights));
  gemm_stacks(heads.heads, ByHead<Number>(p, heads.q_v).queries(), transposed(p.distances(heads.r)),
              p.scores_of_heads(by_distance.data()));
  cuda::launch(one_block_each_row("shift_and_softmax", p.rows, p.n.s), shift_and_softmax<Number>,
               p.softmax, RelativeDropout(heads), by_distance.data(), weights,
               writes ? factors.data() : nullptr);
  const MatrixStack scores = p.scores(static_cast<const float*>(weights));
  gemm_stacks(p.stack, writes ? factors.as(scores) : scores, p.keys(heads.v), p.queries(y));
}

template <class Number>
void attend_backward(const RelativeHeads& heads, const float* kept, const Input& dy,
                     const RelativeGradients& to) {
  const Problem p{heads};
  const bool writes = to.v && (heads.key != 0 || !std::is_same_v<Number, float>);
  Factors<Number> by_key(p.weights), by_distance(p.weights), factors(writes ? p.weights : 0);
  cuda::Buffer<float> own(std::is_same_v<Number, float> ? 0 : size(p.weights));
  float* dp = own.data();
  if constexpr (std::is_same_v<Number, float>) dp = by_key.data();
  const Epilogue sum{.sum = true};
  gemm_stacks(p.stack, p.queries(dy), transposed(p.keys(heads.v)), p.scores(dp));
  cuda::launch(one_block_each_row("score_gradients", p.rows, p.n.s), score_gradients<Number>,
               p.softmax, RelativeDropout(heads), kept, dp, by_key.data(), by_distance.data(),
               writes ? factors.data() : nullptr);
  const MatrixStack weights = p.scores(kept), of_key = by_key.as(weights),
                    of_distance = by_distance.as(p.scores_of_heads(kept));
  if (to.v)
    gemm_stacks(p.stack, transposed(writes ? factors.as(weights) : weights), p.queries(dy),
                p.keys(to.v), sum);
  if (to.q_u) gemm_stacks(p.stack, of_key, p.keys(heads.k), p.queries(to.q_u), sum);
  if (to.k) gemm_stacks(p.stack, transposed(of_key), p.queries(heads.q_u), p.keys(to.k), sum);
  if (to.r)
    gemm_stacks(heads.heads, transposed(of_distance), ByHead<Number>(p, heads.q_v).queries(),
                p.distances(to.r), sum);
  if (!to.q_v) return;
  if (heads.batch == 1) {
    gemm_stacks(heads.heads, of_distance, p.distances(heads.r), p.queries_of_heads(to.q_v), sum);
    return;
  }
  cuda::Buffer<float> by_head(size(p.rows * p.n.d_k));
  gemm_stacks(heads.heads, of_distance, p.distances(heads.r), p.queries_of_heads(by_head.data()));
  swap_heads(by_head.data(), to.q_v, heads.heads, heads.batch, p.place(p.n.t), true);
}

}  // namespace

template <>
void attend_relative(Cuda, const RelativeHeads& heads, float* kept, float* y) {
  if (product_precision() == Precision::bf16)
    attend<cuda::Bfloat16>(heads, kept, y);
  else
    attend<float>(heads, kept, y);
}

template <>
void attend_relative_backward(Cuda, const RelativeHeads& heads, const float* kept, const Input& dy,
                              const RelativeGradients& to) {
  if (product_precision() == Precision::bf16)
    attend_backward<cuda::Bfloat16>(heads, kept, dy, to);
  else
    attend_backward<float>(heads, kept, dy, to);
}

template <>
void relative_weights(Cuda, const RelativeHeads& heads, const float* kept, float* to) {
  cuda::copy_on_device(to, kept, size(Problem{heads}.weights) * sizeof(float));
}

}  // namespace xf::kernel
