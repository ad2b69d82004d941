#include <malloc.h>

#include "exercise.hpp"
#include "support/test.hpp"

using namespace xf;

namespace {

Tensor whole(const Tensor& q, const Tensor& k, const Tensor& v, bool causal) {
  const int t = q.size(0), s = k.size(0), columns = v.size(1);
  std::vector<float> output;
  for (int i = 0; i < t; ++i) {
    std::vector<double> weights(static_cast<std::size_t>(s), 0.0);
    double largest = -1e300, total = 0;
    const int visible = causal ? std::max(0, i + s - t + 1) : s;
    for (int j = 0; j < visible; ++j) {
      double dot = 0;
      for (int d = 0; d < q.size(1); ++d)
        dot += double(q.values()[i * q.size(1) + d]) * k.values()[j * q.size(1) + d];
      weights[std::size_t(j)] = dot / std::sqrt(double(q.size(1)));
      largest = std::max(largest, weights[std::size_t(j)]);
    }
    for (int j = 0; j < visible; ++j)
      total += weights[std::size_t(j)] = std::exp(weights[std::size_t(j)] - largest);
    for (int d = 0; d < columns; ++d) {
      double sum = 0;
      for (int j = 0; j < visible; ++j)
        sum += weights[std::size_t(j)] * v.values()[j * columns + d];
      output.push_back(visible == 0 ? 0 : static_cast<float>(sum / total));
    }
  }
  return Tensor::from({t, columns}, output);
}

float blocks(int t, int s, int block, bool causal) {
  int count = 0;
  for (int i = 0; i < t; ++i)
    for (int first = 0; first < s; first += block) count += !causal || first <= i + s - t;
  return static_cast<float>(count);
}

// ---- the keys and values, of which a block at a time is handed out ------------------------------

// The inputs of the tests, by number: how many words there are, and how wide a key is.
struct Input {
  int words, d_k;
  std::vector<float> keys{};  // these, where they are given
};
const std::vector<Input> inputs = {{7, 4},      {6, 1, {-3, -2, 0, 1, 3, 5}},
                                   {8, 5},      {5, 1, {200, 202, 196, 204, 199}},
                                   {9, 3},      {5, 2},
                                   {3, 4},      {1 << 17, 1},
                                   {1 << 16, 1}};
constexpr int long_text = 7, shorter_text = 8;

// With XF_SALT, of more words, and wider keys.
Input input_of(int number) {
  Input input = inputs.at(std::size_t(number));
  if (!input.keys.empty() || number >= long_text) return input;
  input.words = exercise::given(input.words, input.words, input.words + 12);
  input.d_k = exercise::given(input.d_k, input.d_k, input.d_k + 7);
  return input;
}

// T queries as wide as its keys; with XF_SALT, more.
Tensor queries(int usual_t, int input, std::uint64_t seed, float deviation = 1) {
  const int t = exercise::given(usual_t, usual_t, usual_t + 12);
  return exercise::random({t, input_of(input).d_k}, seed, deviation);
}

// Normal numbers, made once: those of the long text are asked for block by block.
const Tensor& made_once(const Shape& shape, std::uint64_t seed) {
  static std::map<std::pair<std::uint64_t, int>, Tensor> made;
  Tensor& found = made[{seed, shape[1]}];
  if (!found.defined()) found = exercise::random(shape, seed);
  return found;
}
Tensor keys(int input) {
  const auto [words, d_k, given] = input_of(input);
  return given.empty() ? made_once({words, d_k}, 252 + 10 * std::uint64_t(input))
                       : exercise::given({words, d_k}, given);
}
Tensor values(int input, int d_v) {
  return made_once({input_of(input).words, d_v}, 1000 + std::uint64_t(input));
}

int& reads() {
  static int count = 0;
  return count;
}

// Rows first to last of the whole.
Tensor rows(const Tensor& of, int first, int last) {
  const Values numbers = of.values();
  const int width = of.size(1);
  return Tensor::from({last - first, width}, std::vector<float>(numbers.begin() + first * width,
                                                                numbers.begin() + last * width));
}

// ---- the memory that is held while blocks are read ---------------------------------------------

// The most that was held at a read, on the heap and on the stack, beyond what there was before the
// call.
class Held {
 public:
  Held() { of_this_call() = this; }
  Held(const Held&) = delete;
  ~Held() { of_this_call() = nullptr; }
  static void look() {
    if (Held* const held = of_this_call())
      held->most_ = std::max(held->most_, allocated() + held->frames());
  }
  std::size_t bytes() const { return most_ - before_; }

 private:
  static std::size_t allocated() {
    const auto all = ::mallinfo2();
    return all.uordblks + all.hblkhd;
  }
  // Of the stack, from here to where the call began.
  std::size_t frames() const {
    const auto at = [](const void* x) { return reinterpret_cast<std::uintptr_t>(x); };
    return at(this) - at(__builtin_frame_address(0));
  }
  static Held*& of_this_call() {
    static Held* held = nullptr;
    return held;
  }
  std::size_t before_ = allocated(), most_ = before_;
};

// ---- the learner's attention --------------------------------------------------------------------

// Output, number of reads and memory are those of one call.
void check(const std::string& what, const Tensor& q, int input, int usual_columns, int usual_block,
           bool usual_causal) {
  // Of a long text they stay small: wide blocks of it would take more than the memory it may have.
  const auto size = [&](int usual) {
    return input < long_text ? exercise::given(usual) : exercise::within(usual, usual, usual + 4);
  };
  const int columns = size(usual_columns), block = size(usual_block);
  const bool causal = exercise::either(usual_causal);
  const int words = input_of(input).words;
  std::size_t bytes = 0;
  const auto own = [&] {
    reads() = 0;
    keys(input), values(input, columns);  // made before memory is looked at
    const exercise::Blocks blocks(words, block, columns, input);
    const Held held;
    const auto output = exercise::attention_in_blocks(to_xt<2>(q), blocks, causal);
    bytes = held.bytes();
    return from_xt(output);
  };
  COMPARE("output, " + what, whole(q, keys(input), values(input, columns), causal), own());
  COMPARE("blocks read, " + what, Tensor::full({1}, blocks(q.size(0), words, block, causal)),
          Tensor::full({1}, float(reads())));
  COMPARE("is less than 256 KB held between reads?, " + what, Tensor::full({1}, 1),
          Tensor::full({1}, float(bytes < std::size_t(1) << 18)));
}

}  // namespace

exercise::Blocks::Block exercise::Blocks::read(int b) const {
  if (b < 0 || b * block >= words)
    throw std::invalid_argument("there is no block " + std::to_string(b) + ": " +
                                std::to_string(words) + " words in blocks of " +
                                std::to_string(block));
  Held::look();
  ++reads();
  const int first = b * block, last = std::min(first + block, words);
  return {to_xt<2>(rows(keys(number_), first, last)),
          to_xt<2>(rows(values(number_, d_v), first, last))};
}

TEST_CASE("any block size gives the same result") {
  const Tensor q = queries(3, 0, 251, 2);
  for (const int block : {1, 3, 7, 20})
    check("T = 3, S = 7, blocks of " + std::to_string(block), q, 0, 5, block, false);
}

TEST_CASE("scores that rise or fall from block to block") {
  check("keys -3 to 5, queries 1.5 and -1.5", exercise::given({2, 1}, {1.5f, -1.5f}), 1, 2, 2,
        false);
}

TEST_CASE("large scores stay finite") {
  check("queries of about 200", queries(2, 2, 254, 200), 2, 3, 3, false);
}

TEST_CASE("scores that are all far below 0") {
  check("keys 196 to 204, a query of -1", exercise::given({1, 1}, {-1}), 3, 3, 2, false);
}

TEST_CASE("causal: the future is not seen, and its blocks are not read") {
  check("T = 4, S = 9, blocks of 2", queries(4, 4, 256), 4, 2, 2, true);
  check("T = S = 5, blocks of 3", queries(5, 5, 258), 5, 4, 3, true);
}

TEST_CASE("a query that sees no key gets 0") {
  check("T = 5, S = 3, blocks of 2", queries(5, 6, 260), 6, 2, 2, true);
}

TEST_CASE("for a long text, little more than a block is in memory") {
  check("T = 1, S = 131072, blocks of 1024", exercise::random({1, 1}, 262), long_text, 1, 1024,
        false);
  check("T = 2, S = 65536, blocks of 1024", exercise::random({2, 1}, 263), shorter_text, 1, 1024,
        true);
}
