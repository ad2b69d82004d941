#include "ops/attention/attend_relative.hpp"

#include <limits>

#include "autograd/recorder.hpp"
#include "ops/attention/kernels.hpp"
#include "ops/check.hpp"
#include "ops/dropout/dropout.hpp"
#include "ops/elementwise/elementwise.hpp"
#include "ops/matmul/matmul.hpp"
#include "ops/relative_shift/relative_shift.hpp"
#include "ops/shape/shape_ops.hpp"
#include "tensor/kernels.hpp"

namespace xf {

namespace {

// Checks that everything fits, and returns the mask as numbers.
Ids check(const Tensor& q_u, const Tensor& q_v, const Tensor& k, const Tensor& v, const Tensor& r,
          const RelativeAttentionOptions& options) {
  const bool ranks = q_u.rank() == 4 && k.rank() == 4 && r.rank() == 4;
  const bool fits = ranks && q_v.shape() == q_u.shape() && v.shape() == k.shape() &&
                    k.size(0) == q_u.size(0) && k.size(1) == q_u.size(1) &&
                    k.size(3) == q_u.size(3) && q_u.size(2) >= 1 && k.size(2) >= q_u.size(2) &&
                    r.size(0) == 1 && r.size(1) == k.size(1) && r.size(2) >= k.size(2) &&
                    r.size(3) == k.size(3);
  require(fits, "attend_relative", [&] {
    return "q_u, q_v (B, H, T, Dk), k, v (B, H, S, Dk) and r (1, H, R, Dk) with T <= S <= R "
           "wanted: q_u is " +
           q_u.shape().str() + ", q_v is " + q_v.shape().str() + ", k is " + k.shape().str() +
           ", v is " + v.shape().str() + ", r is " + r.shape().str();
  });
  require(options.scale > 0, "attend_relative",
          [&] { return "the scale must be positive, not " + std::to_string(options.scale); });
  const Ids allowed = options.mask.allowed();
  const Shape& m = allowed.shape();
  require(allowed.defined() && m.rank() == 3 && (m[0] == 1 || m[0] == k.size(0)) &&
              m[1] == q_u.size(2) && m[2] == k.size(2),
          "attend_relative", [&] {
            return "expected a mask (B|1, T, S): q_u is " + q_u.shape().str() + ", k is " +
                   k.shape().str() + ", the mask is " + (allowed.defined() ? m.str() : "undefined");
          });
  return allowed;
}

// The inputs, kept for backward.
struct Inputs {
  Tensor q_u, q_v, k, v, r;
  Ids allowed;
  float scale, dropout;
  std::uint64_t key;

  template <class On>
  kernel::RelativeHeads heads(On on) const {
    const int t = q_u.size(2), s = k.size(2);
    return {.batch = q_u.size(0),
            .heads = q_u.size(1),
            .t = t,
            .s = s,
            .d_k = q_u.size(3),
            .r_rows = r.size(2),
            .q_u = q_u.input(on),
            .q_v = q_v.input(on),
            .k = k.input(on),
            .v = v.input(on),
            .r = r.data(on),
            .allowed = allowed.data(on),
            .allowed_step = allowed.size(0) == 1 ? 0 : std::ptrdiff_t(t) * s,
            .scale = scale,
            .dropout = dropout,
            .key = key};
  }
};

template <class On>
kernel::RelativeGradients targets_of(On on, InputGradients& inputs, const Inputs& in, Tensor& dr) {
  kernel::RelativeGradients to;
  const auto wish = [&](int i, const Tensor& x, float*& target) {
    if (!inputs.wanted(i)) return;
    auto [dx, sum] = inputs.accumulate(i, x.shape(), x.device());
    target = dx.data(on);
    if (!sum) kernel::fill(on, target, 0.0f, dx.count());
  };
  wish(0, in.q_u, to.q_u);
  wish(1, in.q_v, to.q_v);
  wish(2, in.k, to.k);
  wish(3, in.v, to.v);
  if (!inputs.wanted(4)) return to;
  dr = Tensor::zeros(in.r.shape(), in.r.device());
  to.r = dr.data(on);
  return to;
}

// The softmax, which was kept block by block, as one tensor (B, H, T, S).
Tensor in_order(const Inputs& in, const Tensor& kept) {
  Tensor weights = Tensor::zeros(kept.shape(), kept.device());
  dispatch(kept.device(), [&](auto on) {
    kernel::relative_weights(on, in.heads(on), kept.data(on), weights.data(on));
  });
  return weights;
}

// The scores before scaling, (B, H, T, S), which the kernel never materialises as a whole; NaN
// where the mask forbids attention.   (q_i + u) . k_j + (q_i + v) . W_kR R_d
Tensor scores_of(const Inputs& in) {
  const int s = in.k.size(2), before = in.r.size(2) - s;
  const std::vector<int> same(static_cast<std::size_t>(in.k.size(0)), 0);
  const Tensor r = gather_rows(slice(in.r, 2, before, s), same);  // (B, H, S, Dk)
  const Tensor all = matmul(in.q_u, in.k, Transpose::yes) +
                     relative_shift(matmul(in.q_v, r, Transpose::yes));  // (B, H, T, S)
  std::vector<float> scores = all.values();
  const std::vector<std::int32_t> allowed = in.allowed.values();
  const auto cells = static_cast<std::size_t>(all.shape().count(2, 4));
  const std::size_t heads = cells * static_cast<std::size_t>(all.size(1));
  const bool shared = in.allowed.size(0) == 1;
  for (std::size_t i = 0; i < scores.size(); ++i)
    if (!allowed[(shared ? 0 : i / heads * cells) + i % cells])
      scores[i] = std::numeric_limits<float>::quiet_NaN();
  return Tensor::from(all.shape(), scores);
}

}  // namespace

Tensor attend_relative(const Tensor& q_u, const Tensor& q_v, const Tensor& k, const Tensor& v,
                       const Tensor& r, const RelativeAttentionOptions& options) {
  const Ids allowed = check(q_u, q_v, k, v, r, options);
  const Inputs in{detach(q_u),   detach(q_v),     detach(k),
                  detach(v),     detach(r),       allowed,
                  options.scale, options.dropout, dropout_key(options.dropout)};
  const bool recorded = watched("weights");
  const Device device = common_device("attend_relative", q_u, q_v, k, v, r);
  Tensor y = Tensor::empty(q_u.shape(), device), kept;
  if (recorded || tracked({&q_u, &q_v, &k, &v, &r}))
    kept = Tensor::empty({q_u.size(0), q_u.size(1), q_u.size(2), k.size(2)}, device);
  dispatch(device, [&](auto on) {
    kernel::attend_relative(on, in.heads(on), kept.defined() ? kept.data(on) : nullptr, y.data(on));
  });
  if (watched("scores")) watch("scores", scores_of(in));
  if (recorded) watch("weights", in_order(in, kept));
  watch("values", v);
  watch("keys", k);
  watch("q_u", q_u);
  watch("q_v", q_v);
  watch("distances", r);
  constexpr Op op{"attend_relative", "softmax(((q + u) k^T + shift((q + v) r^T)) / sqrt(d_k)) v",
                  "through v, the softmax, and both products of the scores"};
  return record(op, y, {&q_u, &q_v, &k, &v, &r},
                [in, kept](InputGradients& inputs, const Tensor& dy) {
                  Tensor dr;
                  dispatch(dy.device(), [&](auto on) {
                    kernel::attend_relative_backward(on, in.heads(on), kept.data(on), dy.input(on),
                                                     targets_of(on, inputs, in, dr));
                  });
                  if (dr.defined()) inputs.add(4, std::move(dr));
                });
}

}  // namespace xf
