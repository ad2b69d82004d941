#include "support/test.hpp"
#include "02_attention/mask.hpp"
#include "exercise.hpp"

using namespace xf;

// B = 2, T = 4, D = 6, H = 3, hence Dk = 2. With XF_SALT, other B and T.
namespace {

struct Steps {
  int batch = exercise::given(2, 3, 6), length = exercise::given(4, 5, 9);
  Random random{81};
  MultiHeadAttention attention{6, 3, 0.0f, random};
  Tensor x = exercise::random({batch, length, 6}, 82);
  KeysValues past;

  Tensor run(int count) {
    Tensor out;
    for (int t = 0; t < count; ++t) {
      const Tensor one = exercise::step(attention, slice(x, 1, t, 1), past);
      out = t == 0 ? one : concat(out, one, 1);
    }
    return out;
  }
};

}  // namespace

TEST_CASE("step by step gives what the causal mask gives all at once") {
  Steps steps;
  const int t = steps.length;
  const auto wanted = [&] { return steps.attention(steps.x, steps.x, causal_mask(t, t)); };
  COMPARE("the four steps", wanted(), steps.run(t));
}

TEST_CASE("the cache holds a key and a value for every position") {
  Steps steps;
  const int count = steps.length - 1;
  const auto own = [&] {
    steps.past = {};
    steps.run(count);
    return steps.past;
  };
  const auto wanted = [&] { return steps.attention.keys_values(slice(steps.x, 1, 0, count)); };
  COMPARE("past.k after three steps", wanted().k, own().k);
  COMPARE("past.v after three steps", wanted().v, own().v);
}

TEST_CASE("a long past is kept whole") {
  Steps steps;
  const Tensor newest = slice(steps.x, 1, steps.length - 1, 1);
  const Shape past{steps.batch, exercise::given(1500), 6};
  steps.past = {exercise::random(past, 83), exercise::random(past, 84)};
  const auto wanted = [&] {
    const KeysValues now = steps.attention.keys_values(newest);
    return steps.attention(newest, {concat(steps.past.k, now.k, 1), concat(steps.past.v, now.v, 1)},
                           {});
  };
  COMPARE("step 1501", wanted(), exercise::step(steps.attention, newest, steps.past));
}

// A text in three parts: as the causal mask gives it all at once.
static void check_parts(const std::string& name, int batch, const std::array<int, 3>& parts) {
  Random random(85);
  const MultiHeadAttention attention(6, 3, 0.0f, random);
  const int prompt = parts[0], then = parts[1], more = parts[2];
  const int all = prompt + then + more;
  const Tensor x = exercise::random({batch, all, 6}, 86);
  const auto wanted = [&] { return attention(x, x, causal_mask(all, all)); };
  KeysValues past;
  const auto own = [&] {
    past = {};
    const Tensor first = exercise::steps(attention, slice(x, 1, 0, prompt), past);
    const Tensor middle = exercise::steps(attention, slice(x, 1, prompt, then), past);
    const Tensor last = exercise::steps(attention, slice(x, 1, prompt + then, more), past);
    return concat(concat(first, middle, 1), last, 1);
  };
  COMPARE(name + " positions", wanted(), own());
  COMPARE("past.k after all", attention.keys_values(x).k, past.k);
  COMPARE("past.v after all", attention.keys_values(x).v, past.v);
}

TEST_CASE("several positions at once, after any past") {
  const int some = exercise::given(2, 3, 6);
  check_parts("3, 1 and 2", some, {exercise::given(3, 20, 60), 1, some});
  check_parts("B = 1; 1, 2 and 1", 1, {1, some, 1});
}
