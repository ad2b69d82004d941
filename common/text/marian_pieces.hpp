#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "text/marian_vocabulary.hpp"

namespace sentencepiece {
class SentencePieceProcessor;
}

namespace xf {

// How a published translation model cuts its text: a SentencePiece model of any type, with its own
// normalisation, and a vocabulary that numbers the pieces. As MarianTokenizer of transformers has
// it, a line that begins with >>fra<< asks a multilingual model for that language, and </s>, <unk>,
// <pad> and tokens that were added are, in a text, what they name.
class MarianPieces {
 public:
  // `model` is the content of source.spm or target.spm, and `speaker` of the one that puts pieces
  // together again. Throws UserError; messages start with `name`.
  static MarianPieces parse(const std::string& model, const std::string& name,
                            const std::string& speaker, const std::string& speaker_name,
                            MarianVocabulary vocabulary);

  const MarianVocabulary& vocabulary() const { return vocabulary_; }
  const std::string& bytes() const { return bytes_; }

  // Without <eos>.
  std::vector<int> encode(std::string_view line) const;
  // Skips the four specials, and special tokens that were added.
  std::string decode(const std::vector<int>& ids) const;

 private:
  void append(std::string_view text, std::vector<int>& ids) const;

  std::string bytes_;
  MarianVocabulary vocabulary_;
  std::shared_ptr<const sentencepiece::SentencePieceProcessor> cutter_, speaker_;
};

}  // namespace xf
