#include "support/xt_reference.hpp"

#include <cmath>
#include <numbers>

#include "tensor/xt.hpp"

namespace xf::xt_reference {

namespace {

using Vector = xt::xtensor<float, 1>;
using Matrix = xt::xtensor<float, 2>;
using Cube = xt::xtensor<float, 3>;

// A vector of row values as a column, to be combined with a matrix.
auto column(const Vector& v) { return xt::view(v, xt::all(), xt::newaxis()); }

// sum_k a(m, k) b(k, n)
Matrix dot(const Matrix& a, const Matrix& b) {
  const Cube products = xt::view(a, xt::all(), xt::all(), xt::newaxis()) *
                        xt::view(b, xt::newaxis(), xt::all(), xt::all());
  return xt::sum(products, {1});
}

Matrix softmax_rows(const Matrix& x) {
  const Vector top = xt::amax(x, {1});
  const Matrix e = xt::exp(x - column(top));
  const Vector total = xt::sum(e, {1});
  return e / column(total);
}

std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace

Tensor relu(const Tensor& x) { return from_xt<2>(xt::maximum(to_xt<2>(x), 0.0f)); }

Tensor gelu(const Tensor& input) {
  const Matrix x = to_xt<2>(input);
  return from_xt<2>(0.5f * x * (1.0f + xt::erf(x / std::sqrt(2.0f))));
}

Tensor gelu_tanh(const Tensor& input) {
  const Matrix x = to_xt<2>(input);
  const Matrix u = std::sqrt(2 / std::numbers::pi_v<float>) * (x + 0.044715f * xt::pow<3>(x));
  return from_xt<2>(0.5f * x * (1.0f + xt::tanh(u)));
}

Tensor silu(const Tensor& input) {
  const Matrix x = to_xt<2>(input);
  return from_xt<2>(x / (1.0f + xt::exp(-x)));
}

Tensor sigmoid(const Tensor& x) { return from_xt<2>(1.0f / (1.0f + xt::exp(-to_xt<2>(x)))); }

Tensor tanh(const Tensor& x) {
  const Matrix up = xt::exp(to_xt<2>(x)), down = xt::exp(-to_xt<2>(x));
  return from_xt<2>((up - down) / (up + down));
}

Tensor add(const Tensor& a, const Tensor& b) { return from_xt<3>(to_xt<3>(a) + to_xt<2>(b)); }

Tensor multiply(const Tensor& a, const Tensor& b) { return from_xt<3>(to_xt<3>(a) * to_xt<3>(b)); }

Tensor scale_rows(const Tensor& x, const Tensor& factors) {
  const Vector f = to_xt<1>(factors);
  return from_xt<2>(column(f) * to_xt<2>(x));
}

Tensor matmul(const Tensor& a, const Tensor& b) { return from_xt(dot(to_xt<2>(a), to_xt<2>(b))); }

Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  return from_xt<2>(dot(to_xt<2>(x), to_xt<2>(transpose(weight))) + to_xt<1>(bias));
}

Tensor softmax(const Tensor& x, float scale) {
  const Matrix scaled = scale * to_xt<2>(x);
  return from_xt(softmax_rows(scaled));
}

Tensor layer_norm(const Tensor& input, const Tensor& gamma, const Tensor& beta, float eps) {
  const Matrix x = to_xt<2>(input);
  const Vector mean = xt::mean(x, {1});
  const Matrix centred = x - column(mean);
  const Matrix squares = centred * centred;
  const Vector variance = xt::mean(squares, {1});
  const Vector deviation = xt::sqrt(variance + eps);
  return from_xt<2>(to_xt<1>(gamma) * centred / column(deviation) + to_xt<1>(beta));
}

Tensor rms_norm(const Tensor& input, const Tensor& gamma, float eps) {
  const Matrix x = to_xt<2>(input);
  const Matrix squares = x * x;
  const Vector mean = xt::mean(squares, {1});
  const Vector root = xt::sqrt(mean + eps);
  return from_xt<2>(to_xt<1>(gamma) * x / column(root));
}

Tensor rotate(const Tensor& input, const Tensor& turns) {
  const Matrix x = to_xt<2>(input), angles = to_xt<2>(turns);
  Matrix y = x;
  const int half = input.size(1) / 2;
  for (int t = 0; t < input.size(0); ++t)
    for (int i = 0; i < half; ++i) {
      const float cosine = angles(t, i), sine = angles(t, half + i);
      const Matrix turn{{cosine, -sine}, {sine, cosine}};
      const Matrix pair{{x(t, i)}, {x(t, half + i)}};
      const Matrix turned = dot(turn, pair);
      y(t, i) = turned(0, 0), y(t, half + i) = turned(1, 0);
    }
  return from_xt(y);
}

Tensor embedding(const Ids& ids, const Tensor& table) {
  const Matrix rows = to_xt<2>(table);
  Cube y = xt::zeros<float>({at(ids.size(0)), at(ids.size(1)), at(table.size(1))});
  for (int b = 0; b < ids.size(0); ++b)
    for (int t = 0; t < ids.size(1); ++t)
      xt::view(y, b, t, xt::all()) = xt::view(rows, ids.at(b, t), xt::all());
  return from_xt(y);
}

float cross_entropy(const Tensor& logits, const Ids& targets, float smoothing) {
  const int rows = logits.size(0), vocabulary = logits.size(1);
  const Matrix log_p = xt::log(softmax_rows(to_xt<2>(logits)));
  Matrix q = xt::ones<float>({at(rows), at(vocabulary)}) * (smoothing / float(vocabulary));
  for (int row = 0; row < rows; ++row) q(row, targets[row]) += 1 - smoothing;
  const Matrix terms = -q * log_p;
  const float total = xt::sum(terms)();
  return total / float(rows);
}

float symmetric_divergence(const Tensor& a, const Tensor& b) {
  const Matrix p = softmax_rows(to_xt<2>(a)), q = softmax_rows(to_xt<2>(b));
  const Matrix forth = p * xt::log(p / q), back = q * xt::log(q / p);
  return xt::sum(forth)() + xt::sum(back)();
}

Tensor split_heads(const Tensor& input, int heads) {
  const Cube x = to_xt<3>(input);
  const int width = input.size(2) / heads;
  xt::xtensor<float, 4> y =
      xt::zeros<float>({at(input.size(0)), at(heads), at(input.size(1)), at(width)});
  for (int h = 0; h < heads; ++h)
    xt::view(y, xt::all(), h, xt::all(), xt::all()) =
        xt::view(x, xt::all(), xt::all(), xt::range(h * width, (h + 1) * width));
  return from_xt(y);
}

Tensor transpose(const Tensor& x) {
  if (x.rank() == 2)
    return transpose(x.view({1, x.size(0), x.size(1)})).view({x.size(1), x.size(0)});
  const Cube cube = to_xt<3>(x);
  Cube y = xt::zeros<float>({at(x.size(0)), at(x.size(2)), at(x.size(1))});
  for (int i = 0; i < x.size(1); ++i)
    xt::view(y, xt::all(), xt::all(), i) = xt::view(cube, xt::all(), i, xt::all());
  return from_xt(y);
}

Tensor concat_columns(const Tensor& a, const Tensor& b) {
  Matrix y = xt::zeros<float>({at(a.size(0)), at(a.size(1) + b.size(1))});
  xt::view(y, xt::all(), xt::range(0, a.size(1))) = to_xt<2>(a);
  xt::view(y, xt::all(), xt::range(a.size(1), a.size(1) + b.size(1))) = to_xt<2>(b);
  return from_xt(y);
}

Tensor columns(const Tensor& x, int first, int count) {
  return from_xt<2>(xt::view(to_xt<2>(x), xt::all(), xt::range(first, first + count)));
}

Tensor rows(const Tensor& x, const std::vector<int>& numbers) {
  const Matrix all = to_xt<2>(x);
  Matrix y = xt::zeros<float>({numbers.size(), at(x.size(1))});
  for (std::size_t i = 0; i < numbers.size(); ++i)
    xt::row(y, std::ptrdiff_t(i)) = xt::row(all, numbers[i]);
  return from_xt(y);
}

double sum(const Tensor& x) {
  const Cube cube = to_xt<3>(x);
  return xt::sum<double>(cube)();
}

Tensor relative_shift(const Tensor& input) {
  const int t = input.size(0), s = input.size(1);
  const Matrix x = to_xt<2>(input);
  Matrix y = xt::zeros<float>({at(t), at(s)});
  for (int i = 0; i < t; ++i) {
    const int by = t - 1 - i;
    xt::view(y, i, xt::range(0, s - by)) = xt::view(x, i, xt::range(by, s));
    if (by > 1) xt::view(y, i, xt::range(s - by + 1, s)) = xt::view(x, i + 1, xt::range(0, by - 1));
  }
  return from_xt(y);
}

Tensor attention(const Tensor& q, const Tensor& k, const Tensor& v) {
  const Matrix scores =
      dot(to_xt<2>(q), to_xt<2>(transpose(k))) / std::sqrt(static_cast<float>(q.size(1)));
  return from_xt(dot(softmax_rows(scores), to_xt<2>(v)));
}

Tensor attend_relative(const Tensor& q_u, const Tensor& q_v, const Tensor& k, const Tensor& v,
                       const Tensor& r, float scale) {
  const int t = q_u.size(0), s = k.size(0), last = r.size(0) - 1;
  const Matrix a = to_xt<2>(q_u), b = to_xt<2>(q_v), keys = to_xt<2>(k), values = to_xt<2>(v),
               by_distance = to_xt<2>(r);
  Matrix y = xt::zeros<float>({at(t), at(v.size(1))});
  for (int i = 0; i < t; ++i) {
    const int seen = i + s - t + 1;
    Vector e = xt::zeros<float>({at(seen)});
    for (int j = 0; j < seen; ++j) {
      const Vector content = xt::row(a, i) * xt::row(keys, j);
      const Vector distance = xt::row(b, i) * xt::row(by_distance, last - (seen - 1 - j));
      e(j) = std::exp(scale * (xt::sum(content)() + xt::sum(distance)()));
    }
    const float total = xt::sum(e)();
    for (int j = 0; j < seen; ++j) xt::row(y, i) += e(j) / total * xt::row(values, j);
  }
  return from_xt(y);
}

}  // namespace xf::xt_reference
