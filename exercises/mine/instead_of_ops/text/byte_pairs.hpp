#pragma once

#include <map>
#include <mutex>

#include "common/text/byte_pairs.hpp"

namespace xf::mine {

// What `--tokenizer bpe` trains and applies: the learner's byte merges if there are any, otherwise
// SentencePiece. A word begins with a space_mark, as in the book; the exercise's additional
// end-of-word mark is spelled as an empty string.
class BytePairs {
 public:
  static BytePairs train(const std::vector<std::string>& lines, int max_pieces);
  static BytePairs parse(std::string bytes, const std::string& name);

  int size() const { return own_ ? static_cast<int>(own_->spelled.size()) : book_.size(); }
  const std::string& piece(int id) const {
    return own_ ? own_->spelled[static_cast<std::size_t>(id)] : book_.piece(id);
  }
  const std::string& bytes() const { return own_ ? own_->bytes : book_.bytes(); }
  std::vector<int> encode(std::string_view line) const;
  std::vector<int> sample(std::string_view line, double alpha, Random& random) const;

 private:
  struct Own {
    std::vector<std::pair<std::string, std::string>> merges = {};
    std::vector<std::string> spelled = {};  // by id
    std::map<std::string, int> ids = {};
    std::string bytes = {};                         // of the file
    std::map<std::string, std::vector<int>> known;  // words that have been cut before
    std::mutex one_at_a_time;

    void add(const std::string& piece);
    void number();
  };

  xf::BytePairs book_;
  std::shared_ptr<Own> own_ = {};
};

}  // namespace xf::mine

#define BytePairs mine::BytePairs
