// The pieces of `--tokenizer bpe`, built from the learner's merges.

#include <sstream>

#include "07_transformer/byte_pair_encoding.hpp"
#include "io/utf8.hpp"
#include "mine/parts.hpp"
#include "text/byte_pairs.hpp"
#include "text/vocabulary.hpp"

#undef BytePairs

namespace xf {

using namespace mine;

namespace {

constexpr std::string_view first_line = "byte pairs of exercise 07-08\n", word_end = "</w>";
constexpr int fewest = special_count + 256 + 1;  // all bytes, and the end-of-word mark

}  // namespace

void mine::BytePairs::Own::add(const std::string& piece) {
  if (!ids.try_emplace(piece, static_cast<int>(spelled.size())).second) return;
  spelled.push_back(piece.ends_with(word_end) ? piece.substr(0, piece.size() - word_end.size())
                                              : piece);
}

// Numbers the pieces, and writes the file: "left right" on a line for each merge.
mine::BytePairs::Own::Own(Merges learned)
    : merges(std::move(learned)), spelled{"<pad>", "<bos>", "<eos>", "<unk>"}, bytes(first_line) {
  for (int byte = 0; byte < 256; ++byte) add(std::string(1, static_cast<char>(byte)));
  add(std::string(word_end));
  for (const auto& [left, right] : merges) {
    add(left + right);
    bytes += left + " " + right + "\n";
  }
}

mine::BytePairs mine::BytePairs::train(const std::vector<std::string>& lines, int max_pieces) {
  if (!parts().learn_merges) return {xf::BytePairs::train(lines, max_pieces)};
  if (max_pieces < fewest)
    throw UserError(
        "--vocab {}: too small, as your 07-08 begins with {} pieces (all the bytes and special "
        "tokens)",
        max_pieces, fewest);
  const auto counts = bpe::count_words(lines, space_mark);
  return {{}, std::make_shared<Own>(parts().learn_merges(counts, max_pieces - fewest))};
}

mine::BytePairs mine::BytePairs::parse(std::string bytes, const std::string& name) {
  if (!bytes.starts_with(first_line)) return {xf::BytePairs::parse(std::move(bytes), name)};
  if (!parts().apply_merges)
    throw UserError("{}: these pieces come from your 07-08, which no longer passes", name);
  Merges merges;
  std::istringstream lines(bytes.substr(first_line.size()));
  int number = 2;
  for (std::string line; std::getline(lines, line); ++number) {
    const std::size_t blank = line.find(' ');
    if (blank == 0 || blank + 1 >= line.size())
      throw UserError("{}:{}: expected two pieces", name, number);
    merges.emplace_back(line.substr(0, blank), line.substr(blank + 1));
  }
  return {{}, std::make_shared<Own>(std::move(merges))};
}

std::vector<int> mine::BytePairs::encode(std::string_view line) const {
  if (!own_) return book_.encode(line);
  std::vector<int> all;
  const std::lock_guard lock(own_->one_at_a_time);
  for (const std::string_view word : split_words(line)) {
    std::vector<int>& ids = own_->known[std::string(word)];
    if (ids.empty())
      for (const std::string& piece :
           parts().apply_merges(std::string(space_mark).append(word), own_->merges)) {
        const auto found = own_->ids.find(piece);
        if (found == own_->ids.end())
          throw_of_part("07-08", words("'{}' is neither a byte nor the result of a merge", piece));
        ids.push_back(found->second);
      }
    all.insert(all.end(), ids.begin(), ids.end());
  }
  return all;
}

std::vector<int> mine::BytePairs::sample(std::string_view line, double alpha,
                                         Random& random) const {
  if (!own_) return book_.sample(line, alpha, random);
  throw UserError("--bpe-dropout: not supported by your 07-08");
}

}  // namespace xf
