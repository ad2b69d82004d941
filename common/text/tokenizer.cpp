#include "text/tokenizer.hpp"

#include <algorithm>
#include <stdexcept>

#include "io/files.hpp"
#include "io/utf8.hpp"
#include "tensor/error.hpp"

namespace xf {

namespace {

// The tokens of a line as the vocabulary spells them; kind is word or character.
std::vector<std::string> split(TokenizerKind kind, std::string_view line) {
  if (kind == TokenizerKind::word) {
    const std::vector<std::string_view> words = split_words(line);
    return {words.begin(), words.end()};
  }
  std::vector<std::string> characters = code_points(line);
  for (std::string& character : characters)
    if (ascii_space(character[0])) character = space_mark;
  return characters;
}

// Throws UserError if a vocabulary of this size has no room for tokens from the text.
void check_limit(TokenizerKind kind, int max_vocabulary) {
  const bool unlimited = max_vocabulary == 0 && kind != TokenizerKind::bpe;
  if (max_vocabulary <= special_count && !unlimited)
    throw UserError("--vocab {}: must be more than the 4 special tokens", max_vocabulary);
}

// The lines at the beginning of a text that fit into 64 MiB.
std::vector<std::string> beginning(const Tokenizer::NextLine& next) {
  std::vector<std::string> lines;
  std::size_t left = std::size_t{64} << 20;
  while (const std::string* line = next()) {
    if (line->size() <= left) lines.push_back(*line);
    left -= std::min(left, line->size());
  }
  return lines;
}

}  // namespace

Tokenizer Tokenizer::train(TokenizerKind kind, const std::vector<std::string>& lines,
                           int max_vocabulary, int min_count) {
  check_limit(kind, max_vocabulary);
  if (kind == TokenizerKind::bpe) {
    Tokenizer tokenizer(kind);
    tokenizer.bpe_ = std::make_shared<BytePairs>(BytePairs::train(lines, max_vocabulary));
    return tokenizer;
  }
  auto line = lines.begin();
  const NextLine next = [&] { return line == lines.end() ? nullptr : &*line++; };
  return train(kind, next, max_vocabulary, min_count);
}

Tokenizer Tokenizer::train(TokenizerKind kind, const NextLine& next, int max_vocabulary,
                           int min_count) {
  check_limit(kind, max_vocabulary);
  if (kind == TokenizerKind::bpe) return train(kind, beginning(next), max_vocabulary);
  std::unordered_map<std::string, long> counts;
  while (const std::string* line = next())
    for (const std::string& token : split(kind, *line)) ++counts[token];
  Tokenizer tokenizer(kind);
  tokenizer.vocabulary_ =
      std::make_shared<Vocabulary>(Vocabulary::of(counts, max_vocabulary, min_count));
  return tokenizer;
}

Tokenizer Tokenizer::of(MarianPieces pieces) {
  Tokenizer tokenizer(TokenizerKind::bpe);
  tokenizer.marian_ = std::make_shared<MarianPieces>(std::move(pieces));
  return tokenizer;
}

int Tokenizer::size() const {
  if (marian_) return marian_->vocabulary().size();
  return bpe_ ? bpe_->size() : vocabulary_->size();
}

std::vector<int> Tokenizer::encode(const std::string& line) const {
  if (marian_) return marian_->encode(line);
  if (bpe_) return bpe_->encode(line);
  std::vector<int> ids;
  for (const std::string& token : split(kind_, line)) ids.push_back(vocabulary_->id(token));
  return ids;
}

std::vector<int> Tokenizer::sample(const std::string& line, double alpha, Random& random) const {
  return bpe_ ? bpe_->sample(line, alpha, random) : encode(line);
}

std::string Tokenizer::piece(int id) const {
  if (marian_) return id == bos_id ? "<bos>" : std::string(marian_->vocabulary().piece(id));
  if (!bpe_) return vocabulary_->token(id);
  if (id < 0 || id >= size())
    throw std::invalid_argument("tokenizer: id " + std::to_string(id) + " of " +
                                std::to_string(size()));
  return bpe_->piece(id);
}

std::string Tokenizer::decode(const std::vector<int>& ids) const {
  if (marian_) return marian_->decode(ids);
  std::string text;
  for (int id : ids) {
    const std::string& token = piece(id);
    if (id == pad_id || id == bos_id || id == eos_id) continue;
    if (kind_ == TokenizerKind::word && !text.empty()) text += ' ';
    text += token;
  }
  if (kind_ == TokenizerKind::word) return text;
  text = replaced(text, space_mark, " ");
  return bpe_ && text.starts_with(' ') ? text.substr(1) : text;
}

void Tokenizer::save(const std::string& directory, const std::string& stem) const {
  if (marian_) throw std::logic_error("tokenizer: the pieces of a published model are not saved");
  const std::string path = directory + "/" + file_name(stem, kind_);
  bpe_ ? write_file_atomically(path, bpe_->bytes()) : vocabulary_->write(path);
}

bool Tokenizer::operator==(const Tokenizer& other) const {
  if (kind_ != other.kind_ || !marian_ != !other.marian_) return false;
  if (marian_) return marian_ == other.marian_;
  return bpe_ ? bpe_->bytes() == other.bpe_->bytes() : *vocabulary_ == *other.vocabulary_;
}

std::string Tokenizer::file_name(const std::string& stem, TokenizerKind kind) {
  return stem + (kind == TokenizerKind::bpe ? ".model" : ".vocab.txt");
}

Tokenizer Tokenizer::load(const std::string& directory, const std::string& stem,
                          TokenizerKind kind) {
  const std::string path = directory + "/" + file_name(stem, kind);
  return parse(kind, read_file(path), path);
}

Tokenizer Tokenizer::parse(TokenizerKind kind, const std::string& content,
                           const std::string& path) {
  Tokenizer tokenizer(kind);
  if (kind == TokenizerKind::bpe)
    tokenizer.bpe_ = std::make_shared<BytePairs>(BytePairs::parse(content, path));
  else
    tokenizer.vocabulary_ = std::make_shared<Vocabulary>(Vocabulary::parse(content, path));
  return tokenizer;
}

}  // namespace xf
