// Attention made of parts: sentence by sentence and head by head, as in the exercises.

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mine/parts.hpp"
#include "ops/attention/attend_rows.hpp"
#include "ops/dropout/dropout.hpp"
#include "ops/shape/shape_ops.hpp"

#undef attend_rows
#undef dropout

namespace xf {

namespace {

using namespace mine;

// Consecutive queries, and the keys that they see: all of them, or, if causal, query t of T sees
// the first S - T + t + 1.
struct Stretch {
  int first_query, queries, first_key, keys;
  bool causal;
};

// Query t of T sees the first visible[t] keys. Splits the queries into stretches in which that
// number is constant or rises by one.
void add_stretches(int first_query, int first_key, const std::vector<int>& visible,
                   std::vector<Stretch>& all) {
  const auto count = static_cast<int>(visible.size());
  const auto at = [&](int t) { return visible[static_cast<std::size_t>(t)]; };
  for (int t = 0, end; t < count; t = end) {
    const int step = t + 1 < count && at(t + 1) == at(t) + 1 ? 1 : 0;
    for (end = t + 1; end < count && at(end) == at(end - 1) + step; ++end) {
    }
    all.push_back({first_query + t, end - t, first_key, at(end - 1), step == 1});
  }
}

// The mask as stretches; empty if a query's keys are not the first ones.
std::vector<Stretch> stretches(const Tensor& q, const Tensor& k, const Mask& mask) {
  std::vector<Stretch> all;
  if (const Packing* packed = mask.packing()) {
    for (std::size_t i = 0; i + 1 < packed->queries.size(); ++i) {
      const int t = packed->queries[i + 1] - packed->queries[i],
                s = packed->keys[i + 1] - packed->keys[i];
      all.push_back({packed->queries[i], t, packed->keys[i], s, packed->causal && t > 1});
      if (packed->causal && t == 1) all.back().keys = 1;
    }
    return all;
  }
  const int t = q.size(1), s = k.size(1);
  const Ids allowed = mask.allowed();
  for (int b = 0; b < q.size(0); ++b) {
    std::vector<int> visible;
    for (int i = 0; i < t; ++i) {
      if (!allowed.defined()) {
        visible.push_back(s);
        continue;
      }
      const int row =
          (allowed.size(0) == 1 ? 0 : b) * allowed.size(1) + (allowed.size(1) == 1 ? 0 : i);
      const std::int32_t* first = allowed.begin() + std::ptrdiff_t(row) * s;
      visible.push_back(static_cast<int>(std::count(first, first + s, 1)));
      if (std::find(first, first + s, 0) - first != visible.back() || visible.back() == 0)
        return {};
    }
    add_stretches(b * t, b * s, visible, all);
  }
  return all;
}

Matrix lines(const Matrix& x, int first, int count) {
  return xt::view(x, xt::range(first, first + count), xt::all());
}
Matrix plane(const Cube& x, int h) { return xt::view(x, h, xt::all(), xt::all()); }

Cube split(const Matrix& x, int heads) {
  if (parts().split) return parts().split(x, heads);
  const int t = static_cast<int>(x.shape(0)), d = static_cast<int>(x.shape(1));
  return to_xt<3>(split_heads(from_xt(x).view({1, t, d}), heads).view({heads, t, d / heads}));
}
Matrix merge(const Cube& y) {
  if (parts().merge) return parts().merge(y);
  const int h = static_cast<int>(y.shape(0)), t = static_cast<int>(y.shape(1)),
            d_k = static_cast<int>(y.shape(2));
  return to_xt<2>(merge_heads(from_xt(y).view({1, h, t, d_k})).view({t, h * d_k}));
}

Tensor heads_of_one(const Matrix& x) {
  return from_xt(x).view({1, 1, static_cast<int>(x.shape(0)), static_cast<int>(x.shape(1))});
}
Mask mask_of_one(const Stretch& s) {
  return s.causal ? Mask(causal_mask(s.queries, s.keys, s.keys - s.queries)) : Mask();
}
Matrix matrix_of_one(const Tensor& x) { return to_xt<2>(x.view({x.size(2), x.size(3)})); }

// softmax(q k^T / sqrt(Dk)), 0 for hidden keys.   returns (T, S)
Matrix weights(const Matrix& q, const Matrix& k, const Stretch& s) {
  const float root_dk = std::sqrt(static_cast<float>(q.shape(1)));
  const Tensor scores = matmul(heads_of_one(q), heads_of_one(k), Transpose::yes);
  if (!parts().masked_softmax)
    return matrix_of_one(softmax(scores, {.scale = 1 / root_dk, .mask = mask_of_one(s)}));
  Matrix may = xt::ones<float>({std::size_t(s.queries), std::size_t(s.keys)});
  for (int t = 0; s.causal && t < s.queries; ++t)
    for (int j = s.keys - s.queries + t + 1; j < s.keys; ++j) may(t, j) = 0;
  const Matrix scaled = matrix_of_one(scores) / root_dk;
  return parts().masked_softmax(scaled, may);
}

// One head of one stretch.   q: (T, Dk)   k, v: (S, Dk)   returns (T, Dk)
Matrix head(const Matrix& q, const Matrix& k, const Matrix& v, const Stretch& s) {
  if (!s.causal && parts().attention) return parts().attention(q, k, v);
  if (s.causal && parts().causal_attention) return parts().causal_attention(q, k, v);
  return matrix_of_one(matmul(heads_of_one(weights(q, k, s)), heads_of_one(v)));
}

// Its gradients: from the part for all three at once if not causal, else from the softmax's.
AttentionGradients head_backward(const Matrix& q, const Matrix& k, const Matrix& v,
                                 const Matrix& dy, const Stretch& s) {
  if (!s.causal && parts().attention_backward) return parts().attention_backward(q, k, v, dy);
  if (!parts().softmax_backward) {
    const auto by_the_book = [&](const std::vector<Tensor>& in) {
      return attention(in[0], in[1], in[2], mask_of_one(s));
    };
    const auto d = gradients_of(by_the_book, {heads_of_one(q), heads_of_one(k), heads_of_one(v)},
                                heads_of_one(dy));
    return {matrix_of_one(d[0]), matrix_of_one(d[1]), matrix_of_one(d[2])};
  }
  const float scale = 1 / std::sqrt(static_cast<float>(q.shape(1)));
  const Tensor p = from_xt(weights(q, k, s)), dout = from_xt(dy);  // (T, S), (T, Dk)
  const Tensor dp = matmul(dout, from_xt(v), Transpose::yes);      // (T, S)
  const Tensor dscores = parts().softmax_backward(p, dp, scale);   // (T, S)
  return {to_xt<2>(matmul(dscores, from_xt(k))), to_xt<2>(matmul(transpose(dscores), from_xt(q))),
          to_xt<2>(matmul(transpose(p), dout))};
}

bool any_forward() {
  const Parts& p = parts();
  return p.attention || p.causal_attention || p.masked_softmax || p.split;
}
bool any_backward() {
  const Parts& p = parts();
  return p.attention_backward || p.softmax_backward || p.split;
}

struct Rows {
  Matrix q, k, v;  // (B T, D), (B S, D) twice
};

void put(Matrix& to, int first, const Matrix& rows, bool add = false) {
  auto place = xt::view(to, xt::range(first, first + static_cast<int>(rows.shape(0))), xt::all());
  if (add)
    place += rows;
  else
    place = rows;
}

Matrix forward(const Rows& in, const std::vector<Stretch>& all, int heads) {
  Matrix y = xt::zeros<float>(in.q.shape());
  for (const Stretch& s : all) {
    const Cube q = split(lines(in.q, s.first_query, s.queries), heads),
               k = split(lines(in.k, s.first_key, s.keys), heads),
               v = split(lines(in.v, s.first_key, s.keys), heads);  // (H, T|S, Dk)
    Cube out = q;
    for (int h = 0; h < heads; ++h)
      xt::view(out, h, xt::all(), xt::all()) = head(plane(q, h), plane(k, h), plane(v, h), s);
    put(y, s.first_query, merge(out));
  }
  return y;
}

Rows backward(const Rows& in, const Matrix& dy, const std::vector<Stretch>& all, int heads) {
  Rows d{xt::zeros<float>(in.q.shape()), xt::zeros<float>(in.k.shape()),
         xt::zeros<float>(in.v.shape())};
  for (const Stretch& s : all) {
    const Cube q = split(lines(in.q, s.first_query, s.queries), heads),
               k = split(lines(in.k, s.first_key, s.keys), heads),
               v = split(lines(in.v, s.first_key, s.keys), heads),
               dout = split(lines(dy, s.first_query, s.queries), heads);
    Cube dq = q, dk = k, dv = v;
    for (int h = 0; h < heads; ++h) {
      const AttentionGradients g =
          head_backward(plane(q, h), plane(k, h), plane(v, h), plane(dout, h), s);
      xt::view(dq, h, xt::all(), xt::all()) = g.dq;
      xt::view(dk, h, xt::all(), xt::all()) = g.dk;
      xt::view(dv, h, xt::all(), xt::all()) = g.dv;
    }
    put(d.q, s.first_query, merge(dq));
    put(d.k, s.first_key, merge(dk), true);
    put(d.v, s.first_key, merge(dv), true);
  }
  return d;
}

// For a recorder; the weights are the learner's attention with the identity as values.
void show(const Rows& in, const std::vector<Stretch>& all, const Tensor& q, const KeysValues& to,
          int heads) {
  const Tensor q_heads = split_heads(detach(q), heads), k_heads = split_heads(detach(to.k), heads);
  const int t = q.size(1), s_all = to.k.size(1);
  watch("scores", matmul(q_heads, k_heads, Transpose::yes));
  Tensor weights = Tensor::zeros({q.size(0), heads, t, s_all});
  for (const Stretch& s : all) {
    const Cube own_q = split(lines(in.q, s.first_query, s.queries), heads),
               own_k = split(lines(in.k, s.first_key, s.keys), heads);
    const Matrix identity = xt::eye<float>(std::size_t(s.keys));
    for (int h = 0; h < heads; ++h) {
      const Matrix map = head(plane(own_q, h), plane(own_k, h), identity, s);
      for (int i = 0; i < s.queries; ++i) {
        const int row = s.first_query + i, b = row / t, key = s.first_key - b * s_all;
        const std::ptrdiff_t first = ((std::ptrdiff_t(b) * heads + h) * t + row % t) * s_all + key;
        copy_into(weights, std::span(map.data() + std::ptrdiff_t(i) * s.keys, std::size_t(s.keys)),
                  first);
      }
    }
  }
  watch("weights", weights);
  watch("values", split_heads(detach(to.v), heads));
  watch("queries", q_heads);
  watch("keys", k_heads);
}

}  // namespace

Tensor attend(const Tensor& q, const KeysValues& to, const AttendOptions& options) {
  const bool drops = options.dropout > 0 && Training::active();
  const std::vector<Stretch> all =
      drops ? std::vector<Stretch>() : stretches(q, to.k, options.mask);
  if (all.empty() || (!any_forward() && !any_backward())) return attend_of_the_book(q, to, options);
  const int heads = options.heads;
  const Rows in{rows_of(q), rows_of(to.k), rows_of(to.v)};
  const Tensor y = any_forward()
                       ? shaped(forward(in, all, heads), q.shape())
                       : attend_of_the_book(detach(q), {detach(to.k), detach(to.v)}, options);
  if (is_recorded() && any_forward()) show(in, all, q, to, heads);
  constexpr Op op{"attention of parts", "softmax(Q K^T / sqrt(d_k)) V", "dQ, dK, dV"};
  const Mask mask = options.mask;
  return record(op, y, {&q, &to.k, &to.v},
                [=, q_ = detach(q), k_ = detach(to.k), v_ = detach(to.v)](InputGradients& inputs,
                                                                          const Tensor& dy) {
                  if (any_backward()) {
                    const Rows d = backward(in, rows_of(dy), all, heads);
                    inputs.add(0, shaped(d.q, q_.shape()));
                    inputs.add(1, shaped(d.k, k_.shape()));
                    inputs.add(2, shaped(d.v, v_.shape()));
                    return;
                  }
                  const auto by_the_book = [&](const std::vector<Tensor>& x) {
                    return attend_of_the_book(x[0], {x[1], x[2]}, {heads, mask, 0});
                  };
                  const auto d = gradients_of(by_the_book, {q_, k_, v_}, dy);
                  for (int i = 0; i < 3; ++i) inputs.add(i, d[std::size_t(i)]);
                });
}

Mask padding_mask(const Ids& ids, std::int32_t pad) {
  return parts().padding_mask ? parts().padding_mask(ids, pad) : padding_mask_of_the_book(ids, pad);
}

Tensor MultiHeadAttention::operator()(const Tensor& x, const Tensor& to, const Mask& mask) const {
  return mine::dropout(MultiHeadAttentionOfTheBook::operator()(x, to, mask), output_dropout);
}

// In decoding, each sentence's query sees the rows in its list.
Tensor mine::attend_rows(const Tensor& q, const GrowingRows& keys, const GrowingRows& values,
                         const RowLists& seen, int heads) {
  if (!any_forward() || is_recorded()) return xf::attend_rows(q, keys, values, seen, heads);
  const Matrix queries = rows_of(q);
  Matrix y = xt::zeros<float>(queries.shape());
  const auto d = static_cast<std::size_t>(keys.width());
  for (std::size_t b = 0; b < seen.size(); ++b) {
    const std::size_t count = seen[b].size();
    if (count == 0) continue;
    Matrix k({count, d}), v({count, d});
    for (std::size_t i = 0; i < count; ++i) {
      std::copy_n(keys.data(Cpu{}) + std::size_t(seen[b][i]) * d, d, &k(i, 0));
      std::copy_n(values.data(Cpu{}) + std::size_t(seen[b][i]) * d, d, &v(i, 0));
    }
    const Rows in{lines(queries, static_cast<int>(b), 1), k, v};
    put(y, static_cast<int>(b), forward(in, {{0, 1, 0, static_cast<int>(count), false}}, heads));
  }
  return shaped(y, q.shape());
}

}  // namespace xf
