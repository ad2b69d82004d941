#include "08_transformer_xl/program/language_text.hpp"

#include <algorithm>
#include <sstream>
#include <utility>

#include "io/files.hpp"
#include "io/utf8.hpp"
#include "tensor/error.hpp"
#include "text/fingerprint.hpp"

namespace xf::language {

namespace {

// The tutorial's own documentation, for readers who have no text at hand.
const std::string documentation = XF_DOCUMENTATION;

// The longest word, in bytes, that a vocabulary is trained on: a word vocabulary stores it, and
// SentencePiece, which sees a Chinese sentence as one word, needs more than linear time to cut it.
std::size_t longest_word(TokenizerKind level) { return level == TokenizerKind::bpe ? 16384 : 4096; }

void check_words(TokenizerKind level, const TextReader& text) {
  for (std::string_view word : split_words(text.piece()))
    if (word.size() > longest_word(level))
      throw UserError("{}: a word of more than {} bytes (--level {})", text.location(),
                      longest_word(level), name(level));
}

std::size_t count_lines(const TextSource& source) {
  std::size_t count = 0;
  for (TextReader text(source); text.next();) count += text.ends();
  return count;
}

// In UTF-8, every byte except continuation bytes begins a character.
double characters_of(const std::string& text) {
  double count = 0;
  for (char byte : text) count += (byte & 0xC0) != 0x80;
  return count;
}

}  // namespace

bool TextReader::next() {
  while (true) {
    if (!file_ && next_file_ == source_.files.size()) return false;
    if (!file_) file_.emplace(source_.files[next_file_++]);
    if (!file_->next()) {
      file_.reset();
      continue;
    }
    const std::size_t line = line_;
    line_ += file_->ends();
    if (line >= source_.first && line < source_.last) return true;
  }
}

std::string TextReader::location() const {
  return source_.files[next_file_ - 1] + ":" + std::to_string(file_->number());
}

TextSource text_source(const std::string& path) {
  TextSource source{.files = {path}, .name = path};
  if (!is_directory(path)) return source;
  source.files.clear();
  for (const std::string& name : directory_entries(path))
    if (name.ends_with(".md")) source.files.push_back(path + "/" + name);
  if (source.files.empty()) throw UserError("{}: no *.md files in it", path);
  return source;
}

TextSources text_sources(const std::string& text, const std::string& valid) {
  TextSources sources{text_source(text.empty() ? documentation : text), {}};
  if (text.empty()) sources.train.name = words("the documentation");
  if (!valid.empty()) sources.valid = text_source(valid);
  if (!text.empty() || !valid.empty()) return sources;
  sources.valid = sources.train;
  sources.train.last = sources.valid.first = count_lines(sources.train) * 9 / 10;
  return sources;
}

Tokenizer train_tokenizer(TokenizerKind level, const TextSource& source, int vocab, int min_count) {
  const int largest = vocab == 0 && level == TokenizerKind::bpe ? 2000 : vocab;
  TextReader text(source);
  const Tokenizer::NextLine next = [&]() -> const std::string* {
    if (!text.next()) return nullptr;
    if (level != TokenizerKind::character) check_words(level, text);
    return &text.piece();
  };
  return Tokenizer::train(level, next, largest, min_count);
}

LanguageText encode_text(const Tokenizer& tokenizer, const TextSource& source) {
  LanguageText text;
  Fingerprint fingerprint;
  text.ids.append(eos_id);
  for (TextReader reader(source); reader.next();) {
    for (int id : tokenizer.encode(reader.piece())) {
      text.ids.append(id);
      text.unknown += id == unk_id;
    }
    if (reader.ends()) text.ids.append(eos_id);
    text.characters += characters_of(reader.piece()) + reader.ends();
    fingerprint.add(reader.piece());
    if (reader.ends()) fingerprint.add("\n");
  }
  text.fingerprint = fingerprint.str();
  text.name = source.name;
  return text;
}

void check_length(const LanguageText& text, int rows, int segment, const std::string& flags) {
  const Words wanted = rows == 1 ? words("a segment") : words("{} streams", rows);
  if (text.predictions() < std::ptrdiff_t(rows) * segment)
    throw UserError("{}: {} tokens, too few for {} of {} ({})", text.name, text.predictions(),
                    wanted, segment, flags);
}

std::vector<std::int32_t> encode_prompt(const Tokenizer& tokenizer, const std::string& prompt) {
  std::vector<std::int32_t> ids;
  std::istringstream lines(prompt + "\n");
  for (std::string line; std::getline(lines, line);) {
    ids.push_back(eos_id);
    for (int id : tokenizer.encode(line)) ids.push_back(id);
  }
  return ids;
}

std::string GrowingText::take(int id) {
  if (id == eos_id) {
    line_.clear();
    written_ = 0;
    return "\n";
  }
  line_.push_back(id);
  const std::string text = tokenizer_.decode(line_);
  return text.substr(std::exchange(written_, text.size()));
}

std::string decode_text(const Tokenizer& tokenizer, const std::vector<int>& ids) {
  GrowingText text(tokenizer);
  std::string all;
  for (int id : ids) all += text.take(id);
  return all;
}

Streams::Piece Streams::piece(int first, int last, std::ptrdiff_t begin, int segment,
                              int extended) const {
  const int t = static_cast<int>(std::min<std::ptrdiff_t>(segment, length() - begin));
  const int e = static_cast<int>(std::min<std::ptrdiff_t>(extended, begin));
  Piece piece{Ids::full({last - first, e + t}, pad_id), Ids::full({last - first, t}, -1), 0};
  for (int row = first; row < last; ++row) {
    const std::ptrdiff_t from = row * length() + begin - e;
    const std::ptrdiff_t count = std::min<std::ptrdiff_t>(e + t, predictions() - from);
    if (count <= 0) continue;
    const std::vector<std::int32_t> read = ids.read(from, count + 1);  // and the last target
    std::copy_n(read.begin(), count, piece.ids.begin() + std::ptrdiff_t(row - first) * (e + t));
    if (count <= e) continue;
    std::copy_n(read.begin() + e + 1, count - e,
                piece.expected.begin() + std::ptrdiff_t(row - first) * t);
    piece.counted += static_cast<int>(count - e);
  }
  return piece;
}

}  // namespace xf::language
