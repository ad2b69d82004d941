#include "support/test.hpp"
#include "exercise.hpp"

using namespace xf;

namespace {

Tensor sum_of(const Tensor& x, const Tensor& table, int past) {
  const int length = x.size(1), columns = x.size(2);
  std::vector<float> y = x.values();
  for (std::size_t i = 0; i < y.size(); ++i) {
    const int n = static_cast<int>(i), place = past + n / columns % length;
    y[i] += table.values()[place * columns + n % columns];
  }
  return Tensor::from(x.shape(), y);
}

Tensor gradient(const Tensor& dy, int rows, int past) {
  const int length = dy.size(1), columns = dy.size(2);
  std::vector<float> dp(static_cast<std::size_t>(rows * columns));
  for (int i = 0; i < dy.count(); ++i)
    dp[static_cast<std::size_t>((past + i / columns % length) * columns + i % columns)] +=
        dy.values()[i];
  return Tensor::from({rows, columns}, dp);
}

float is_refused(const Tensor& x, const Tensor& table, int past) {
  return exercise::refusal([&] { exercise::add_positions(to_xt<3>(x), to_xt<2>(table), past); })
             ? 1.0f
             : 0.0f;
}

// Of an answer that refuses this, an empty Tensor: each has a text of its own for it.
Tensor added(const Tensor& x, const Tensor& table, int past) {
  if (is_refused(x, table, past) > 0) return {};
  return from_xt(exercise::add_positions(to_xt<3>(x), to_xt<2>(table), past));
}

void check(const std::string& what, const Shape& usual, int usual_rows, int usual_past) {
  const auto drawn = [](int size, int more) { return exercise::given(size, size, size + more); };
  const Shape shape = {usual[0] == 1 ? 1 : drawn(usual[0], 6), drawn(usual[1], 20),
                       drawn(usual[2], 12)};
  const int past = drawn(usual_past, 20);
  const int rows = usual_rows + shape[1] - usual[1] + past - usual_past;
  const Tensor x = exercise::random(shape, 91), dy = exercise::random(shape, 92);
  const Tensor table = exercise::random({rows, shape[2]}, 93);
  COMPARE("1 if refused: " + what, Tensor::full({1}, 0),
          Tensor::full({1}, is_refused(x, table, past)));
  COMPARE("y, " + what, sum_of(x, table, past), added(x, table, past));
  COMPARE_GRADIENT("dP, " + what, gradient(dy, rows, past),
                   from_xt(exercise::positions_backward(to_xt<3>(dy), rows, past)));
}

// T is the length of x, max the rows of the table.
float refused(int length, int max, int past) {
  const int batch = exercise::given(2, 1, 4), columns = exercise::given(3, 1, 6);
  return is_refused(exercise::random({batch, length, columns}, 94),
                    exercise::random({max, columns}, 95), past);
}

}  // namespace

TEST_CASE("each position has its row, in every sentence") {
  check("B = 3, T = 4, D = 2, max = 7, past 0", {3, 4, 2}, 7, 0);
}

TEST_CASE("with a past, the positions continue from it") {
  check("B = 2, T = 3, D = 5, max = 9, past 4", {2, 3, 5}, 9, 4);
  check("B = 4, T = 1, D = 3, max = 6, past 2", {4, 1, 3}, 6, 2);
  check("B = 1, T = 3, D = 4, max = 7, past 2", {1, 3, 4}, 7, 2);
}

TEST_CASE("the table's last row can be used") {
  check("B = 2, T = 5, D = 3, max = 5, past 0", {2, 5, 3}, 5, 0);
  check("B = 2, T = 2, D = 4, max = 8, past 6", {2, 2, 4}, 8, 6);
}

TEST_CASE("a position without a row is refused") {
  const int length = exercise::given(4, 2, 7), rows = length + exercise::given(2, 0, 5);
  const auto check_refused = [&](const std::string& what, int max, int past) {
    COMPARE("1 if refused: " + what, Tensor::full({1}, 1),
            Tensor::full({1}, refused(length, max, past)));
  };
  check_refused("T = 4, max = 6, past 7", rows, rows + exercise::given(1, 0, 6));
  check_refused("T = 4, max = 2, past 0", exercise::within(2, 1, length - 1), 0);
  check_refused("T = 4, max = 6, past 3", rows, rows - length + 1);
  check_refused("T = 4, max = 6, past 5", rows, rows - 1);
}

TEST_CASE("a negative past is refused") {
  const int length = exercise::given(4, 2, 7), rows = length + exercise::given(2, 0, 5);
  for (const int below : {1, exercise::given(3, 2, 9)})
    COMPARE("1 if refused: past -" + std::string(below == 1 ? "1" : "3"), Tensor::full({1}, 1),
            Tensor::full({1}, refused(length, rows, -below)));
}
