#include "exercise.hpp"

using namespace xf;
using exercise::bos, exercise::eos, exercise::pad;

// B = 3, T = 5; the longest comes last, where nothing overwrites what goes beyond its row.
static const std::vector<std::vector<int>> sentences = {{4, 5}, {9}, {6, 7, 8, 4}};
static const Ids in{{3, 5}, {bos, 4, 5, pad, pad, bos, 9, pad, pad, pad, bos, 6, 7, 8, 4}};
static const Ids out{{3, 5}, {4, 5, eos, pad, pad, 9, eos, pad, pad, pad, 6, 7, 8, 4, eos}};

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

TEST_CASE("the goal is the next word, and at the end <eos>") {
  const exercise::DecoderBatch batch = exercise::decoder_batch(sentences);
  exercise::compare("in", as_numbers(in), as_numbers(batch.in));
  exercise::compare("out", as_numbers(out), as_numbers(batch.out));
}

TEST_CASE("a single sentence needs no padding") {
  const exercise::DecoderBatch batch = exercise::decoder_batch({{3, 7}});
  exercise::compare("in of one sentence", Tensor::from({1, 3}, {bos, 3, 7}), as_numbers(batch.in));
  exercise::compare("out of one sentence", Tensor::from({1, 3}, {3, 7, eos}),
                    as_numbers(batch.out));
}

TEST_CASE("a decoder that copies its input is not rewarded") {
  const exercise::DecoderBatch batch = exercise::decoder_batch(sentences);
  exercise::compare("its loss", loss_of_a_copier(in, out), loss_of_a_copier(batch.in, batch.out));
}
