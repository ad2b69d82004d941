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

// How a published translation model splits its text: a SentencePiece model of any type, with its
// own normalisation, and a vocabulary that assigns ids to the pieces. As in MarianTokenizer of
// transformers, a line that begins with >>fra<< selects that target language in a multilingual
// model, and </s>, <unk>, <pad> and added tokens are recognised when a text contains them.
class MarianPieces {
 public:
  // `model` is the content of source.spm or target.spm; `speaker` is that of the model that joins
  // the pieces again. Throws UserError; messages start with `name`.
  static MarianPieces parse(const std::string& model, const std::string& name,
                            const std::string& speaker, const std::string& speaker_name,
                            MarianVocabulary vocabulary);

  const MarianVocabulary& vocabulary() const { return vocabulary_; }
  const std::string& bytes() const { return bytes_; }

  // Without <eos>.
  std::vector<int> encode(std::string_view line) const;
  // Skips the four specials, and added special tokens.
  std::string decode(const std::vector<int>& ids) const;

 private:
  std::string bytes_;
  MarianVocabulary vocabulary_;
  std::shared_ptr<const sentencepiece::SentencePieceProcessor> cutter_, speaker_;
};

}  // namespace xf
