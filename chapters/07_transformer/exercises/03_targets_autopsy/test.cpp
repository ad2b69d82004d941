#include "support/test.hpp"
#include "exercise.hpp"

using namespace xf;
using exercise::bos, exercise::eos, exercise::pad;

using Sentences = std::vector<std::vector<int>>;

// The longest comes last, where nothing overwrites what goes beyond its row.
static const Sentences three = {{4, 5}, {9}, {6, 7, 8, 4}}, one = {{3, 7}};
static const Sentences longest_first = {{6, 7, 8, 4}, {9}, {4, 5}};
static const Sentences longest_within = {{4, 5}, {6, 7, 8, 4}, {9, 3}, {5}};

static std::size_t longest(const Sentences& sentences) {
  std::size_t found = 0;
  for (std::size_t b = 1; b < sentences.size(); ++b)
    if (sentences[b].size() > sentences[found].size()) found = b;
  return found;
}

// With XF_SALT, a grading's, others, and more of them; where the longest is the first, the last or
// within, it stays that.
static Sentences given(Sentences sentences, std::uint64_t seed, int words = 7) {
  if (exercise::salted(0) == 0) return sentences;
  Random random(exercise::salted(seed));
  const bool first = longest(sentences) == 0;
  const std::size_t more = sentences.size() > 1 ? std::size_t(random.below(exercise::given(7))) : 0;
  sentences.insert(first ? sentences.end() : sentences.begin(), more, {});
  const std::size_t place = longest(sentences);
  const int most = 5 + random.below(exercise::given(10, 10, 25));
  for (std::size_t b = 0; b < sentences.size(); ++b) {
    sentences[b].resize(std::size_t(b == place ? most : 1 + random.below(most - 1)));
    for (int& word : sentences[b]) word = 3 + random.below(words);
  }
  return sentences;
}

static Tensor as_numbers(const Ids& ids) {
  return Tensor::from(ids.shape(), std::vector<float>(ids.begin(), ids.end()));
}

// The loss of a decoder that has learned nothing but to repeat what it reads.
static Tensor loss_of_a_copier(const Ids& read, const Ids& expected) {
  Tensor logits = Tensor::zeros({read.size(0), read.size(1), 10});
  for (std::ptrdiff_t i = 0; i < read.count(); ++i)
    if (read[i] >= 0 && read[i] < 10) copy_into(logits, {8}, i * 10 + read[i]);
  return reshape(cross_entropy(logits, expected, {.ignore = pad}), {1});
}

// <bos> and the words, or the words and <eos>; filled up to the longest.
static Ids wanted(const Sentences& sentences, bool read) {
  const int rows = static_cast<int>(sentences.size());
  const int length = static_cast<int>(sentences[longest(sentences)].size()) + 1;
  Ids ids = Ids::full({rows, length}, pad);
  for (int b = 0; b < rows; ++b) {
    std::vector<int> words = sentences[static_cast<std::size_t>(b)];
    words.insert(read ? words.begin() : words.end(), read ? bos : eos);
    std::copy(words.begin(), words.end(), ids.begin() + b * length);
  }
  return ids;
}

TEST_CASE("the goal is the next word, and at the end <eos>") {
  const Sentences sentences = given(three, 121);
  const auto batch = [&] { return exercise::decoder_batch(sentences); };
  COMPARE("in", as_numbers(wanted(sentences, true)), as_numbers(batch().in));
  COMPARE("out", as_numbers(wanted(sentences, false)), as_numbers(batch().out));
}

TEST_CASE("a single sentence needs no padding") {
  const Sentences sentences = given(one, 122);
  const auto batch = [&] { return exercise::decoder_batch(sentences); };
  COMPARE("in of one sentence", as_numbers(wanted(sentences, true)), as_numbers(batch().in));
  COMPARE("out of one sentence", as_numbers(wanted(sentences, false)), as_numbers(batch().out));
}

TEST_CASE("a decoder that copies its input is not rewarded") {
  const Sentences sentences = given(three, 123);
  const auto batch = [&] { return exercise::decoder_batch(sentences); };
  COMPARE("its loss", loss_of_a_copier(wanted(sentences, true), wanted(sentences, false)),
          loss_of_a_copier(batch().in, batch().out));
}

TEST_CASE("the longest sentence may come anywhere") {
  const int words = exercise::given(900, 900, 30000);
  Sentences first = given(longest_first, 124, words), within = given(longest_within, 125, words);
  std::swap(within[1], within[std::size_t(exercise::within(1, 1, 2))]);
  const auto batch = [](const Sentences& of) { return exercise::decoder_batch(of); };
  COMPARE("in, the longest first", as_numbers(wanted(first, true)), as_numbers(batch(first).in));
  COMPARE("out, the longest first", as_numbers(wanted(first, false)), as_numbers(batch(first).out));
  COMPARE("in, the longest within", as_numbers(wanted(within, true)), as_numbers(batch(within).in));
  COMPARE("out, the longest within", as_numbers(wanted(within, false)),
          as_numbers(batch(within).out));
  Sentences alike = given(three, 126);
  alike[0] = alike.back();
  COMPARE("in, two of the longest", as_numbers(wanted(alike, true)), as_numbers(batch(alike).in));
  COMPARE("out, two of the longest", as_numbers(wanted(alike, false)),
          as_numbers(batch(alike).out));
}
