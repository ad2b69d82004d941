#include "07_transformer/experiments/own_language.hpp"

namespace xf::lesson_07 {

const SentencePair games_pair{"I like the 2022 Beijing Winter Games", "我 爱 2022 北京 冬 奥会"};

CorpusSplit language_split() {
  constexpr int pairs_in_all = 11000, held_out = 1000;
  std::vector<SentencePair> pairs = generate_corpus(pairs_in_all, 1);
  std::erase_if(pairs, [](const SentencePair& pair) { return pair.english == games_pair.english; });
  pairs.insert(pairs.begin(), games_pair);  // held out, too
  return split_corpus(pairs, held_out);
}

ParallelText parallel_text(const std::vector<SentencePair>& pairs) {
  ParallelText text;
  for (const SentencePair& pair : pairs) {
    text.source.push_back(pair.english);
    text.target.push_back(pair.chinese);
  }
  return text;
}

TransformerConfig language_sizes() {
  return {.d_model = 64,
          .d_ff = 256,
          .heads = 4,
          .encoder_layers = 2,
          .decoder_layers = 2,
          .dropout = 0.0};
}

Translator fresh_translator(const TransformerConfig& sizes, const ParallelText& text,
                            std::uint64_t seed) {
  const Tokenizer source = Tokenizer::train(TokenizerKind::word, text.source, 10000);
  const Tokenizer target = Tokenizer::train(TokenizerKind::word, text.target, 10000);
  return make_translator(sizes, source, target, Random(seed));
}

TrainingOptions language_training() {
  return {.run = {.updates = 1000,
                  .schedule = ScheduleKind::linear,
                  .lr = 4e-3,
                  .warmup = 200,
                  .clip = 1.0,
                  .keep_every = 100},
          .batch_tokens = 512};
}

}  // namespace xf::lesson_07
