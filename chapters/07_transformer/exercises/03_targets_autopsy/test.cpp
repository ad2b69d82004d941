#include "support/test.hpp"
#include "exercise.hpp"

using namespace xf;
using exercise::bos, exercise::eos, exercise::pad;

using Sentences = std::vector<std::vector<int>>;

// The longest comes last, where nothing overwrites what goes beyond its row.
static const Sentences three = {{4, 5}, {9}, {6, 7, 8, 4}}, one = {{3, 7}},
                       longest_first = {{6, 7, 8, 4}, {9}, {4, 5}};

static std::size_t longest_of(const Sentences& sentences) {
  const auto is_shorter = [](const auto& a, const auto& b) { return a.size() < b.size(); };
  return std::size_t(std::max_element(sentences.begin(), sentences.end(), is_shorter) -
                     sentences.begin());
}

// With XF_SALT, a grading's, others: of 1 to 5 words, the longest where it was.
static Sentences given(Sentences sentences, std::uint64_t seed) {
  if (exercise::salted(0) == 0) return sentences;
  Random random(exercise::salted(seed));
  const std::size_t longest = longest_of(sentences);
  for (std::vector<int>& words : sentences) {
    words.resize(&words == &sentences[longest] ? 5 : 1 + random.below(4));
    for (int& word : words) word = 3 + random.below(7);
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
  const int length = static_cast<int>(sentences[longest_of(sentences)].size()) + 1;
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
  const Sentences others = given(longest_first, 124);
  const auto other = [&] { return exercise::decoder_batch(others); };
  COMPARE("in, the longest first", as_numbers(wanted(others, true)), as_numbers(other().in));
  COMPARE("out, the longest first", as_numbers(wanted(others, false)), as_numbers(other().out));
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
