#pragma once

#include "07_transformer/program/translator.hpp"
#include "program/program.hpp"
#include "text/corpus.hpp"

namespace xf::lesson_07 {

// Sections 1-3: one sentence pair, how a published lesson failed on it, why, and the fix.
void one_pair(const CommonOptions& options);
// Sections 4-8: a translator for a language of our own, from training to attention maps.
void own_language(const CommonOptions& options);
// The end of section 7, lesson_checkpoints.cpp: what one head attended to, update by update, while
// the loss of these sentences fell.
void over_checkpoints(const ParallelText& held_out, const CommonOptions& options);
// Section 8, lesson_games.cpp: which words the translation of "Games" depends on.
void what_games_reads(const Translator& translator);
// Section 9, lesson_pass.cpp: one forward and backward pass, step by step on one page.
void one_pass(const CommonOptions& options);
// Section 10, lesson_pieces.cpp: byte pair encoding by hand, compared with SentencePiece's.
void pieces_of_words(const CommonOptions& options);

}  // namespace xf::lesson_07
