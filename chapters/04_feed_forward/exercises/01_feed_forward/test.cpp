#include "support/test.hpp"
#include "exercise.hpp"

using namespace xf;

static void check(const std::string& name, int usual_words, int usual_d_model, const Tensor& b_1) {
  const int words = usual_words == 1 ? 1 : exercise::given(usual_words, usual_words, 16);
  const int d_model = exercise::given(usual_d_model, usual_d_model, 12), d_ff = b_1.size(0);
  const Tensor x = exercise::random({words, d_model}, 51);
  const Tensor w_1 = exercise::random({d_ff, d_model}, 52);
  const Tensor w_2 = exercise::random({d_model, d_ff}, 53), b_2 = exercise::random({d_model}, 54);
  COMPARE(name, linear(relu(linear(x, w_1, b_1)), w_2, b_2),
          exercise::feed_forward(to_xt<2>(x), to_xt<2>(w_1), to_xt<1>(b_1), to_xt<2>(w_2),
                                 to_xt<1>(b_2)));
}

TEST_CASE("widen, switch off what is negative, narrow") {
  check("FFN(x)", 3, 4, exercise::random({exercise::given(6, 13, 20)}, 55));
}

TEST_CASE("one word alone, and a layer that is narrower inside") {
  check("FFN of one word", 1, 5, exercise::random({exercise::given(2)}, 56));
  check("FFN of one word, wider inside", 1, 4, exercise::random({exercise::given(9, 13, 40)}, 61));
}

TEST_CASE("without the max, the two maps are one") {
  const int d_model = exercise::given(4, 4, 12), d_ff = exercise::given(7, 7, 20);
  const Tensor w_1 = exercise::random({d_ff, d_model}, 57), b_1 = exercise::random({d_ff}, 58);
  const Tensor w_2 = exercise::random({d_model, d_ff}, 59), b_2 = exercise::random({d_model}, 60);
  const auto first = to_xt<2>(w_1), second = to_xt<2>(w_2);
  COMPARE("w", matmul(w_2, w_1),
          exercise::without_max(first, to_xt<1>(b_1), second, to_xt<1>(b_2)).w);
  COMPARE("b", linear(b_1.view({1, d_ff}), w_2, b_2).view({d_model}),
          exercise::without_max(first, to_xt<1>(b_1), second, to_xt<1>(b_2)).b);
}

TEST_CASE("a hidden layer that is off for every word leaves b_2") {
  check("FFN, b_1 = -100", 2, 3, Tensor::full({exercise::given(7)}, -100.0f));
}
