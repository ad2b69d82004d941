#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tensor/random.hpp"
#include "text/merge_neighbours.hpp"

namespace sentencepiece {
class SentencePieceProcessor;
}

namespace xf {

// How SentencePiece shows a space.
inline constexpr std::string_view space_mark = "▁";

// A byte-pair encoding model (Sennrich et al. 2016) as SentencePiece trains and stores it: a list
// of pieces. A word starts as its characters, and the adjacent pair whose joined piece has the best
// score is merged until none is left. A piece that starts a word begins with "▁".
class BytePairs {
 public:
  // Learns at most `max_pieces` pieces. Throws UserError with SentencePiece's reason.
  static BytePairs train(const std::vector<std::string>& lines, int max_pieces);
  // The model in the bytes of a .model file. Throws UserError; messages start with `name`.
  static BytePairs parse(std::string bytes, const std::string& name);

  int size() const { return static_cast<int>(pieces_.size()); }
  const std::string& piece(int id) const { return pieces_[static_cast<std::size_t>(id)]; }
  const std::string& bytes() const { return bytes_; }

  std::vector<int> encode(std::string_view line) const;
  // BPE-dropout (Provilkov et al. 2020): each possible merge is skipped with probability `alpha`,
  // so that the same word is split differently each time. alpha = 0 equals encode().
  std::vector<int> sample(std::string_view line, double alpha, Random& random) const;

 private:
  std::string bytes_;
  std::shared_ptr<const sentencepiece::SentencePieceProcessor> processor_;
  std::vector<std::string> pieces_;
  std::unordered_map<std::string, int> ids_;              // of the pieces that text can produce
  std::unordered_map<std::uint64_t, TokenMerge> merges_;  // left and right id
};

}  // namespace xf
