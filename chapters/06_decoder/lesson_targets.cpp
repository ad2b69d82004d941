// Lesson 6, sections 1 and 2: what the decoder reads and predicts, and what it may look at.

#include "02_attention/mask.hpp"
#include "06_decoder/lesson.hpp"
#include "language/language.hpp"
#include "speech/show.hpp"

namespace xf::lesson_06 {

void shifted_right() {
  section("What does the decoder read, and what must it predict?");
  say("Translate '我 爱 北京' as 'I love Beijing'. The decoder reads the translation so far and "
      "predicts the next word. For training, the translation is written twice: with <bos> in front "
      "as the input, with <eos> at the end as the expected output. The input is the output shifted "
      "right by one position.");
  const Ids translation({1, 3}, {4, 5, 6});
  Ids input = Ids::full({1, 4}, bos), expected = Ids::full({1, 4}, eos);
  std::copy_n(translation.begin(), 3, input.begin() + 1);
  std::copy_n(translation.begin(), 3, expected.begin());
  const std::vector<std::string> reads = words_of(input, 0, english);
  const std::vector<std::string> says = words_of(expected, 0, english);
  show("input, (1, T)", input, {.columns = reads});
  show("expected, (1, T)", expected, {.columns = says});
  Table table({"position", "reads", "may look at", "must predict"});
  std::string seen;
  for (std::size_t t = 0; t < reads.size(); ++t) {
    seen += (t ? " " : "") + reads[t];
    table.row({std::to_string(t), reads[t], seen, says[t]});
  }
  table.print();
  for (int t = 0; t + 1 < 4; ++t)
    claim(input.at(0, t + 1) == expected.at(0, t), "the input is the output, one position later");
  say("Without the shift, position t would read the very word that it must predict, and learn to "
      "copy it. Without the mask of the next section it would find that word one position to the "
      "right. Both are needed.");
  finding("The decoder reads <bos> and the words so far; each position predicts the next word");
}

void the_mask(const Options& options) {
  section("Which positions may look at which?");
  const Ids input({1, 4}, {bos, 4, 5, 6});
  const std::vector<std::string> words = words_of(input, 0, english);
  equation("allowed(t, s) = 1 if s <= t, else 0");
  const Mask causal = causal_mask(4, 4);
  const Ids allowed = causal.allowed();
  show("causal_mask(4, 4), (1, T, T): a row for each query", allowed,
       {.rows = words, .columns = words});
  shifted_target(options);
  say("Position t sees itself: the diagonal is 1. (It is often said to see 'only what comes "
      "before'.) If the diagonal is forbidden, <bos> has nothing to look at. The softmax of "
      "equal scores under both masks:");
  Ids strict_allowed(allowed.shape(), allowed.values());
  for (int t = 0; t < 4; ++t) strict_allowed[t * 4 + t] = 0;
  const Tensor scores = Tensor::zeros({1, 1, 4, 4});
  const Tensor right = softmax(scores, {.mask = causal});
  const Tensor strict = softmax(scores, {.mask = {strict_allowed}});
  show("with the diagonal", right.view({4, 4}), {.rows = words, .columns = words});
  show("without: row 0 is empty", strict.view({4, 4}), {.rows = words, .columns = words});
  Tensor expected = strict.clone();
  copy_into(expected, {0, 0, 0, 0});
  agree("the empty row, and zeros (not NaN)", strict, expected, 0);
  say("In a batch the target sentences are padded too. Both masks combined, for 'I love Beijing' "
      "and 'I love':");
  const Ids batch({2, 4}, {bos, 4, 5, 6, bos, 4, 5, pad});
  show("combine(causal, padding), (B, T, T)", combine(causal, padding_mask(batch, pad)).allowed());
  finding("Position t may look at positions 0 to t, itself included");
}

}  // namespace xf::lesson_06
