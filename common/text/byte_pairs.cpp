#include "text/byte_pairs.hpp"

#include <sentencepiece_processor.h>
#include <sentencepiece_trainer.h>

#include <unordered_set>

#include "io/utf8.hpp"
#include "tensor/error.hpp"
#include "text/sentencepiece_file.hpp"
#include "text/vocabulary.hpp"

namespace xf {

namespace {

class Lines : public sentencepiece::SentenceIterator {
 public:
  explicit Lines(const std::vector<std::string>& lines) : lines_(lines) {}
  bool done() const override { return at_ == lines_.size(); }
  void Next() override { ++at_; }
  const std::string& value() const override { return lines_[at_]; }
  sentencepiece::util::Status status() const override { return {}; }

 private:
  const std::vector<std::string>& lines_;
  std::size_t at_ = 0;
};

// SentencePiece reads "▁" as a space and would keep tabs and doubled spaces.
std::string with_single_spaces(std::string_view line) {
  const std::string text = replaced(line, space_mark, " ");
  return joined(split_words(text), " ");
}

// Counts distinct characters, including the mark that SentencePiece puts before every word.
int count_characters(const std::vector<std::string>& lines) {
  std::unordered_set<std::string> seen{std::string(space_mark)};
  for (const std::string& line : lines)
    for (const std::string& character : code_points(line))
      if (character != " ") seen.insert(character);
  return static_cast<int>(seen.size());
}

std::uint64_t pair_key(int left, int right) {
  return static_cast<std::uint64_t>(left) << 32 | static_cast<std::uint32_t>(right);
}

}  // namespace

BytePairs BytePairs::train(const std::vector<std::string>& lines, int max_pieces) {
  std::vector<std::string> clean;
  for (const std::string& line : lines) clean.push_back(with_single_spaces(line));
  Lines sentences(clean);
  std::string bytes;
  const std::unordered_map<std::string, std::string> options = {
      {"model_type", "bpe"},
      {"vocab_size", std::to_string(max_pieces)},
      {"hard_vocab_limit", "false"},
      {"normalization_rule_name", "identity"},
      {"character_coverage", "1.0"},
      {"max_sentence_length", "1000000"},
      {"pad_id", "0"},
      {"bos_id", "1"},
      {"eos_id", "2"},
      {"unk_id", "3"},
      {"pad_piece", "<pad>"},
      {"bos_piece", "<bos>"},
      {"eos_piece", "<eos>"},
      {"unk_piece", "<unk>"},
      {"num_threads", "1"},
      {"minloglevel", "2"}};
  const auto status = sentencepiece::SentencePieceTrainer::Train(options, &sentences, &bytes);
  if (!status.ok()) {
    const int least = special_count + count_characters(clean);
    if (max_pieces < least)
      throw UserError(
          "--vocab {}: this text needs at least {}, for its characters and the 4 special tokens",
          max_pieces, least);
    throw UserError("--vocab {}: SentencePiece: {}", max_pieces, status.error_message());
  }
  return parse(std::move(bytes), "a model just trained");
}

BytePairs BytePairs::parse(std::string bytes, const std::string& name) {
  auto processor = std::make_shared<sentencepiece::SentencePieceProcessor>();
  const auto type = sentencepiece_type(bytes, name);
  if (!type || !processor->LoadFromSerializedProto(bytes).ok())
    throw UserError("{}: truncated, or not a SentencePiece model", name);
  if (*type != sentencepiece_bpe)
    throw UserError(
        "{}: a SentencePiece model of another type (unigram, word or char), where bpe is expected",
        name);
  if (processor->pad_id() != pad_id || processor->bos_id() != bos_id ||
      processor->eos_id() != eos_id || processor->unk_id() != unk_id)
    throw UserError("{}: <pad>, <bos>, <eos>, <unk> must have the ids 0, 1, 2, 3", name);
  BytePairs model;
  model.bytes_ = std::move(bytes);
  for (int id = 0; id < processor->GetPieceSize(); ++id)
    model.pieces_.push_back(processor->IdToPiece(id));
  for (int id = special_count; id < model.size(); ++id) model.ids_.emplace(model.piece(id), id);
  for (const auto& [piece, id] : model.ids_)
    for (std::size_t cut = 1; cut < piece.size(); ++cut) {
      const auto left = model.ids_.find(piece.substr(0, cut));
      const auto right = model.ids_.find(piece.substr(cut));
      if (left != model.ids_.end() && right != model.ids_.end())
        model.merges_[pair_key(left->second, right->second)] = {
            -static_cast<double>(processor->GetScore(id)), id};
    }
  model.processor_ = std::move(processor);
  return model;
}

std::vector<int> BytePairs::encode(std::string_view line) const {
  return processor_->EncodeAsIds(with_single_spaces(line));
}

std::vector<int> BytePairs::sample(std::string_view line, double alpha, Random& random) const {
  const auto merge = [&](int left, int right) -> const TokenMerge* {
    const auto found = merges_.find(pair_key(left, right));
    return found == merges_.end() ? nullptr : &found->second;
  };
  const auto left_out = [&] { return alpha > 0 && random.uniform() < alpha; };
  std::vector<int> ids;
  const std::string text = with_single_spaces(line);
  for (std::string_view word : split_words(text)) {
    std::vector<int> symbols;
    for (const std::string& character : code_points(std::string(space_mark).append(word))) {
      const auto found = ids_.find(character);
      const int id = found == ids_.end() ? unk_id : found->second;
      // a run of unknown characters is one <unk>, as in SentencePiece
      if (id != unk_id || symbols.empty() || symbols.back() != unk_id) symbols.push_back(id);
    }
    const std::vector<int> merged = merge_neighbours(symbols, merge, left_out);
    ids.insert(ids.end(), merged.begin(), merged.end());
  }
  return ids;
}

}  // namespace xf
