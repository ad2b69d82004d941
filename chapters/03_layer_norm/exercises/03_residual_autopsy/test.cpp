#include "03_layer_norm/residual.hpp"

#include "exercise.hpp"
#include "support/test.hpp"

using namespace xf;
using exercise::Layer;

namespace {

struct PreNorm {
  LayerNorm norm;  // of a fresh one, norm(norm(x)) is norm(x)
  Tensor weight;

  explicit PreNorm(int d) : norm(d), weight(exercise::random({d, d}, 36)) {
    norm.gamma = exercise::random({d}, 39);
    norm.beta = exercise::random({d}, 40);
  }

  Tensor f(const Tensor& h) const { return relu(matmul(h, weight)); }
  Tensor wanted(const Tensor& x) const {
    return residual(x, norm, NormOrder::pre, 0.0f, [this](const Tensor& h) { return f(h); });
  }
  Tensor own(const Tensor& x) const {
    return exercise::residual(x, norm, [this](const Tensor& h) { return f(h); });
  }
};

Tensor one_wrong(const Tensor& y, std::ptrdiff_t at, float by) {
  Tensor wrong = y.clone();
  copy_into(wrong, {y.values()[at] + by}, at);
  return wrong;
}

// y in row 0, or in column 0, and `wrong` elsewhere.
Tensor right_in_row_0(const Tensor& y, const Tensor& wrong) {
  std::vector<float> row = y.values();
  row.resize(std::size_t(y.size(-1)));
  Tensor all = wrong.clone();
  copy_into(all, row);
  return all;
}
Tensor right_in_column_0(const Tensor& y, const Tensor& wrong) {
  Tensor all = wrong.clone();
  for (std::ptrdiff_t at = 0; at < y.count(); at += y.size(-1))
    copy_into(all, {y.values()[at]}, at);
  return all;
}

// Each block: right, or what was found in code that ran.
const std::vector<exercise::Block>& blocks() {
  static const std::vector<exercise::Block> all = {
      [](const Tensor& x, const Layer& norm, const Layer& f) { return x + f(norm(x)); },
      [](const Tensor& x, const Layer& norm, const Layer& f) { return f(norm(x)) + x; },
      [](const Tensor& x, const Layer& norm, const Layer& f) {  // rounds otherwise
        return 0.3f * x + (f(norm(x)) + 0.7f * x);
      },
      [](const Tensor& x, const Layer& norm, const Layer& f) { return norm(x) + f(norm(x)); },
      [](const Tensor& x, const Layer&, const Layer& f) { return x + f(x); },
      [](const Tensor& x, const Layer& norm, const Layer& f) { return norm(x + f(x)); },
      [](const Tensor& x, const Layer& norm, const Layer& f) { return f(norm(x)); },
      [](const Tensor& x, const Layer& norm, const Layer& f) { return x + norm(f(x)); },
      [](const Tensor& x, const Layer& norm, const Layer& f) { return norm(x + f(norm(x))); },
      [](const Tensor& x, const Layer& norm, const Layer& f) { return x + f(norm(norm(x))); },
      [](const Tensor& x, const Layer& norm, const Layer& f) { return x + (x + f(norm(x))); },
      [](const Tensor& x, const Layer& norm, const Layer& f) { return x + -1.0f * f(norm(x)); },
      [](const Tensor& x, const Layer& norm, const Layer& f) { return x + 2.0f * f(norm(x)); },
      [](const Tensor& x, const Layer& norm, const Layer& f) { return x + norm(f(norm(x))); },
      [](const Tensor& x, const Layer& norm, const Layer& f) {
        return one_wrong(x + f(norm(x)), x.count() - 1, 1);
      },
      [](const Tensor& x, const Layer& norm, const Layer& f) {
        return one_wrong(x + f(norm(x)), x.count() / 2, -1);
      },
      [](const Tensor& x, const Layer& norm, const Layer& f) {
        return one_wrong(x + f(norm(x)), std::ptrdiff_t(exercise::salted(42) % 1009) % x.count(),
                         1);
      },
      [](const Tensor& x, const Layer& norm, const Layer& f) {
        const Tensor branch = f(norm(x));
        return right_in_row_0(x + branch, norm(x) + branch);
      },
      [](const Tensor& x, const Layer& norm, const Layer& f) {
        const Tensor branch = f(norm(x));
        return right_in_column_0(x + branch, norm(x) + branch);
      },
      [](const Tensor& x, const Layer&, const Layer&) {
        return Tensor::full(x.shape(), std::numeric_limits<float>::quiet_NaN());
      }};
  return all;
}
constexpr int right_blocks = 3, all_blocks = 20;

int block_at(int place) {
  static const std::vector<int> order = exercise::order(all_blocks, 41);
  return order.at(std::size_t(place));
}

Tensor says_residual(int place) {
  const exercise::Block block = [=](const Tensor& x, const Layer& norm, const Layer& f) {
    if (x.rank() == 0 || x.count() == 0)
      throw std::invalid_argument("a block takes an x of shape (T, D), this is " + x.shape().str());
    return blocks().at(std::size_t(block_at(place)))(x, norm, f);
  };
  return Tensor::full({1}, exercise::is_residual(block) ? 1.0f : 0.0f);
}

}  // namespace

TEST_CASE("the block is x + f(norm(x))") {
  const int d = exercise::given(4, 3, 12);
  const Tensor x = exercise::random({exercise::given(3, 4, 16), d}, 35, 3.0f);
  const PreNorm block(d);
  COMPARE("residual(x)", block.wanted(x), block.own(x));
}

TEST_CASE("the gradient flows past the norm") {
  const int rows = exercise::given(2, 3, 12), d = exercise::given(4, 3, 12);
  const Tensor x = parameter(exercise::random({rows, d}, 37, 3.0f));
  const Tensor weights = exercise::random({rows, d}, 38);
  const PreNorm block(d);
  const auto gradient = [&](const auto& y) {
    Tape tape;
    return tape.backward(weighted_sum(y(), weights)).of(x);
  };
  COMPARE_GRADIENT("dx", gradient([&] { return block.wanted(x); }),
                   gradient([&] { return block.own(x); }));
}

// 1 is yes, 0 is no.
TEST_CASE("your test tells a correct block from others") {
  const std::string names[] = {"x + f(norm(x))",
                               "f(norm(x)) + x",
                               "0.3 x + (f(norm(x)) + 0.7 x)",
                               "norm(x) + f(norm(x))",
                               "x + f(x)",
                               "norm(x + f(x))",
                               "f(norm(x))",
                               "x + norm(f(x))",
                               "norm(x + f(norm(x)))",
                               "x + f(norm(norm(x)))",
                               "2 x + f(norm(x))",
                               "x - f(norm(x))",
                               "x + 2 f(norm(x))",
                               "x + norm(f(norm(x)))",
                               "x + f(norm(x)), but the last number",
                               "x + f(norm(x)), but the number in the middle",
                               "x + f(norm(x)), but one number somewhere",
                               "x + f(norm(x)) in row 0 alone, below it norm(x) + f(norm(x))",
                               "x + f(norm(x)) in column 0 alone, else norm(x) + f(norm(x))",
                               "NaN"};
  for (int place = 0; place < all_blocks; ++place)
    COMPARE("is it a residual? " + names[place],
            Tensor::full({1}, block_at(place) < right_blocks ? 1.0f : 0.0f), says_residual(place));
}
