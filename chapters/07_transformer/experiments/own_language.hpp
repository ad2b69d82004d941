#pragma once

#include "07_transformer/experiments/corpus.hpp"
#include "07_transformer/program/training.hpp"

namespace xf::lesson_07 {

// The translator for the language of corpus.hpp: what it learns from, its size, and how it is
// trained.

// The first of the held-out sentences.
extern const SentencePair games_pair;

// 10,000 training pairs, except those that share a side with one of 1,000 held-out ones.
CorpusSplit language_split();
ParallelText parallel_text(const std::vector<SentencePair>& pairs);

// Post-norm, 2 + 2 layers of width 64 with 4 heads.
TransformerConfig language_sizes();
// Untrained; its vocabularies are built from the text.
Translator fresh_translator(const TransformerConfig& sizes, const ParallelText& text,
                            std::uint64_t seed);
// 1000 updates of about 50 sentences; the rate is the minimum of a rise to 0.004 over 200 of them
// and a linear decay from 0.004 to 0.
TrainingOptions language_training();

}  // namespace xf::lesson_07
