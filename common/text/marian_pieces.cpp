#include "text/marian_pieces.hpp"

#include <sentencepiece_processor.h>

#include "io/utf8.hpp"
#include "tensor/error.hpp"
#include "text/byte_pairs.hpp"
#include "text/sentencepiece_file.hpp"
#include "text/vocabulary.hpp"

namespace xf {

namespace {

std::shared_ptr<const sentencepiece::SentencePieceProcessor> load(const std::string& bytes,
                                                                  const std::string& name) {
  auto processor = std::make_shared<sentencepiece::SentencePieceProcessor>();
  if (!sentencepiece_type(bytes, name) || !processor->LoadFromSerializedProto(bytes).ok())
    throw UserError("{}: truncated, or not a SentencePiece model", name);
  return processor;
}

// Strips white space from both ends.
std::string stripped(const std::string& text) {
  const char* space = " \t\n\r\f\v";
  const std::size_t first = text.find_first_not_of(space);
  if (first == text.npos) return "";
  return text.substr(first, text.find_last_not_of(space) + 1 - first);
}

}  // namespace

MarianPieces MarianPieces::parse(const std::string& model, const std::string& name,
                                 const std::string& speaker, const std::string& speaker_name,
                                 MarianVocabulary vocabulary) {
  MarianPieces pieces;
  pieces.bytes_ = model;
  pieces.vocabulary_ = std::move(vocabulary);
  pieces.cutter_ = load(model, name);
  pieces.speaker_ = load(speaker, speaker_name);
  return pieces;
}

std::vector<int> MarianPieces::encode(std::string_view line) const {
  std::vector<int> ids;
  const auto plain = [&](std::string_view text, bool) {
    if (text.starts_with(">>"))
      if (const std::size_t end = text.find("<<"); end != text.npos) {
        ids.push_back(vocabulary_.id(text.substr(0, end + 2)));
        text.remove_prefix(end + 2);
      }
    for (const std::string& piece : cutter_->EncodeAsPieces(std::string(text)))
      ids.push_back(vocabulary_.id(piece));
  };
  vocabulary_.added().along(line, false, plain,
                            [&](int number) { ids.push_back(vocabulary_.own(number)); });
  return ids;
}

std::string MarianPieces::decode(const std::vector<int>& ids) const {
  std::vector<std::string> pieces;
  for (const int id : ids) {
    if (id < special_count || vocabulary_.piece(id).empty()) continue;
    const AddedToken* added = vocabulary_.added().find(vocabulary_.published(id));
    if (!added || !added->special) pieces.emplace_back(vocabulary_.piece(id));
  }
  return stripped(replaced(speaker_->DecodePieces(pieces), space_mark, " "));
}

}  // namespace xf
