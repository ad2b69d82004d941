// Attention made of parts: sentence by sentence and head by head, as in the exercises.

#include <algorithm>
#include <cmath>

#include "08_transformer_xl/relative_attention.hpp"
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

// The mask as stretches; empty if the keys that a query sees are not consecutive.
std::vector<Stretch> stretches(const Tensor& q, const Tensor& k, const Mask& mask) {
  const int t = q.size(1), s = k.size(1);
  const Ids allowed = mask.defined() ? mask.allowed() : Ids::full({1, 1, s}, 1);
  std::vector<Stretch> all;
  for (int query = 0; query < q.size(0) * t; ++query) {
    const int b = query / t, mask_b = allowed.size(0) == 1 ? 0 : b;
    const int row = mask_b * allowed.size(1) + (allowed.size(1) == 1 ? 0 : query % t);
    const std::int32_t *begin = allowed.begin() + std::ptrdiff_t(row) * s, *end = begin + s;
    const auto first = std::find(begin, end, 1), last = std::find(first, end, 0);
    if (first == last || std::find(last, end, 1) != end) return {};
    const int first_key = b * s + static_cast<int>(first - begin);
    const int keys = static_cast<int>(last - first);
    Stretch* const one = all.empty() || all.back().first_key != first_key ? nullptr : &all.back();
    const bool rises = one && keys == one->keys + 1;
    if (one && (rises || keys == one->keys) && (one->queries == 1 || one->causal == rises))
      *one = {one->first_query, one->queries + 1, first_key, keys, rises};
    else
      all.push_back({query, 1, first_key, keys, false});
  }
  return all;
}

Matrix lines(const Matrix& x, int first, int count) {
  return xt::view(x, xt::range(first, first + count), xt::all());
}
Matrix plane(const Cube& x, int h) { return xt::view(x, h, xt::all(), xt::all()); }

Cube split(const Matrix& x, int heads) {
  if (parts().split) return parts().split(x, heads);
  const auto h = std::size_t(heads), d_k = x.shape(1) / h;
  return xt::transpose(xt::reshape_view(x, {x.shape(0), h, d_k}), {1, 0, 2});
}
Matrix merge(const std::vector<Rows>& all, Matrix Rows::*which) {
  Cube y(std::array{all.size(), (all[0].*which).shape(0), (all[0].*which).shape(1)});
  for (std::size_t i = 0; i < all.size(); ++i) xt::view(y, i, xt::all(), xt::all()) = all[i].*which;
  if (parts().merge) return parts().merge(y);
  return xt::reshape_view(xt::transpose(y, {1, 0, 2}), {y.shape(1), y.shape(0) * y.shape(2)});
}

Tensor heads_of_one(const Matrix& x) {
  return from_xt(x).view({1, 1, static_cast<int>(x.shape(0)), static_cast<int>(x.shape(1))});
}
Mask mask_of_one(const Stretch& s) {
  return s.causal ? Mask(causal_mask(s.queries, s.keys, s.keys - s.queries)) : Mask();
}

// The heads of one stretch: q (T, Dk), k and v (S, Dk) each.
std::vector<Rows> heads_of(const Rows& in, const Stretch& s, int heads) {
  const Cube q = split(lines(in.q, s.first_query, s.queries), heads),
             k = split(lines(in.k, s.first_key, s.keys), heads),
             v = split(lines(in.v, s.first_key, s.keys), heads);
  std::vector<Rows> all;
  for (int h = 0; h < heads; ++h) all.push_back({plane(q, h), plane(k, h), plane(v, h)});
  return all;
}

// softmax(q k^T / sqrt(Dk)), 0 for hidden keys.   returns (T, S)
Matrix weights(const Rows& in, const Stretch& s) {
  const float root_dk = std::sqrt(static_cast<float>(in.q.shape(1)));
  const Tensor scores = matmul(heads_of_one(in.q), heads_of_one(in.k), Transpose::yes);
  if (!parts().masked_softmax)
    return rows_of(softmax(scores, {.scale = 1 / root_dk, .mask = mask_of_one(s)}));
  const auto all = xt::ones<float>({std::size_t(s.queries), std::size_t(s.keys)});
  const Matrix may = xt::tril(all, s.causal ? s.keys - s.queries : s.keys);
  const Matrix scaled = rows_of(scores) / root_dk;
  return parts().masked_softmax(scaled, may);
}

// One head of one stretch.   returns (T, Dk)
Matrix head(const Rows& in, const Stretch& s) {
  if (!s.causal && parts().attention) return parts().attention(in.q, in.k, in.v);
  if (s.causal && parts().causal_attention) return parts().causal_attention(in.q, in.k, in.v);
  return rows_of(matmul(heads_of_one(weights(in, s)), heads_of_one(in.v)));
}

// Its gradients: from the part for all three at once if not causal, else from the softmax's.
Rows head_backward(const Rows& in, const Matrix& dy, const Stretch& s) {
  const auto& [q, k, v] = in;
  if (!s.causal && parts().attention_backward) return parts().attention_backward(q, k, v, dy);
  if (!parts().softmax_backward) {
    const auto by_the_book = [&](const Tensors& x) {
      return attention(x[0], x[1], x[2], mask_of_one(s));
    };
    const Tensors d = gradients_of(by_the_book, {heads_of_one(q), heads_of_one(k), heads_of_one(v)},
                                   heads_of_one(dy));
    return {rows_of(d[0]), rows_of(d[1]), rows_of(d[2])};
  }
  const float scale = 1 / std::sqrt(static_cast<float>(q.shape(1)));
  const Tensor p = from_xt(weights(in, s)), dout = from_xt(dy);   // (T, S), (T, Dk)
  const Tensor dp = matmul(dout, from_xt(v), Transpose::yes);     // (T, S)
  const Tensor dscores = parts().softmax_backward(p, dp, scale);  // (T, S)
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

void add(const Matrix& rows, Matrix& to, int first) {
  xt::view(to, xt::range(first, first + static_cast<int>(rows.shape(0))), xt::all()) += rows;
}

Matrix forward(const Rows& in, const std::vector<Stretch>& all, int heads) {
  Matrix y = xt::zeros<float>(in.q.shape());
  for (const Stretch& s : all) {
    std::vector<Rows> out;  // each in the place of its queries
    for (const Rows& one : heads_of(in, s, heads)) out.push_back({head(one, s), {}, {}});
    add(merge(out, &Rows::q), y, s.first_query);
  }
  return y;
}

Rows backward(const Rows& in, const Matrix& dy, const std::vector<Stretch>& all, int heads) {
  Rows d{xt::zeros<float>(in.q.shape()), xt::zeros<float>(in.k.shape()),
         xt::zeros<float>(in.v.shape())};
  for (const Stretch& s : all) {
    const Cube dout = split(lines(dy, s.first_query, s.queries), heads);
    std::vector<Rows> g;
    for (const Rows& one : heads_of(in, s, heads))
      g.push_back(head_backward(one, plane(dout, static_cast<int>(g.size())), s));
    add(merge(g, &Rows::q), d.q, s.first_query);
    add(merge(g, &Rows::k), d.k, s.first_key);
    add(merge(g, &Rows::v), d.v, s.first_key);
  }
  return d;
}

// For a recorder; the weights are the learner's attention with the identity as values.
void show(const Rows& in, const std::vector<Stretch>& all, const Tensor& q, const KeysValues& to,
          int heads) {
  const Tensor q_heads = split_heads(detach(q), heads), k_heads = split_heads(detach(to.k), heads);
  const int t = q.size(1), s_all = to.k.size(1);
  watch("scores", matmul(q_heads, k_heads, Transpose::yes));
  xt::xtensor<float, 4> weights = xt::zeros<float>({q.size(0), heads, t, s_all});
  for (const Stretch& s : all) {
    const Matrix identity = xt::eye<float>(std::size_t(s.keys));
    const int b = s.first_query / t, row = s.first_query - b * t, key = s.first_key - b * s_all;
    const std::vector<Rows> own = heads_of(in, s, heads);
    for (std::size_t h = 0; h < own.size(); ++h)
      xt::view(weights, b, h, xt::range(row, row + s.queries), xt::range(key, key + s.keys)) =
          head({own[h].q, own[h].k, identity}, s);
  }
  watch("weights", from_xt(weights));
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
  const auto rows = [](const Tensors& in) {
    return Rows{rows_of(in[0]), rows_of(in[1]), rows_of(in[2])};
  };
  if (is_recorded() && any_forward()) show(rows({q, to.k, to.v}), all, q, to, heads);
  OpOfParts whole{{"attention of parts", "softmax(Q K^T / sqrt(d_k)) V", "dQ, dK, dV"},
                  [heads, mask = options.mask](const Tensors& in) {
                    return attend_of_the_book(in[0], {in[1], in[2]}, {heads, mask, 0});
                  }};
  whole.forward = if_any(any_forward(), [&](const Tensors& in) {
    return shaped(forward(rows(in), all, heads), q.shape());
  });
  whole.backward = if_any(any_backward(), [=](const Tensors& in, const Tensor& dy) {
    const Rows d = backward(rows(in), rows_of(dy), all, heads);
    return Tensors{from_xt(d.q), from_xt(d.k), from_xt(d.v)};
  });
  return whole({&q, &to.k, &to.v});
}

Tensor mine::attention_of_one_head(const Tensor& q, const Tensor& k, const Tensor& v) {
  const auto rows = [](const Tensor& x) { return reshape(x, {x.size(0), x.size(2), x.size(3)}); };
  return attend(rows(q), {rows(k), rows(v)}, {});
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
  const Tensor k = keys.rows().view(keys.shape()), v = values.rows().view(values.shape());
  Matrix y = xt::zeros<float>(queries.shape());
  for (int b = 0; b < q.size(0); ++b) {
    const std::vector<int>& of = seen[std::size_t(b)];
    if (of.empty()) continue;
    const Rows in{lines(queries, b, 1), rows_of(gather_rows(k, of)), rows_of(gather_rows(v, of))};
    add(forward(in, {{0, 1, 0, static_cast<int>(of.size()), false}}, heads), y, b);
  }
  return shaped(y, q.shape());
}

// The exercise has a row of distances for each sentence, and u and v with all heads side by side.
Tensor RelativeAttention::operator()(const Tensor& x, const Keys& to, const GlobalBiases& bias,
                                     const Mask& mask) const {
  if (!parts().relative_scores) return RelativeAttentionOfTheBook::operator()(x, to, bias, mask);
  const int keys = to.k.size(2), width = bias.u.size(0) * bias.u.size(1);
  const Tensor one = slice(to.r, 2, to.r.size(2) - keys, keys);  // (1, H, S, Dk)
  const Tensor r = gather_rows(one, std::vector<int>(std::size_t(x.size(0)), 0));
  const Tensor scores = parts().relative_scores(w_q(x), to.k, r, reshape(bias.u, {width}),
                                                reshape(bias.v, {width}));  // (B, H, T, S)
  const float root_dk = std::sqrt(static_cast<float>(to.k.size(-1)));
  const Tensor weights = softmax(scores, {.scale = 1 / root_dk, .mask = mask});
  watch("scores", scores);
  watch("weights", weights);
  watch("values", to.v);
  return w_o(merge_heads(matmul(mine::dropout(weights, dropout_rate), to.v)));  // (B, T, D)
}

}  // namespace xf
