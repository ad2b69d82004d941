#pragma once

#include <algorithm>  // defines its own rotate
#include <map>
#include <mutex>

#include "ops/attention/attend_rows.hpp"
#include "ops/cross_entropy/cross_entropy.hpp"
#include "ops/dropout/dropout.hpp"
#include "ops/rms_norm/rms_norm.hpp"
#include "ops/rotary/rotary.hpp"
#include "tensor/xt.hpp"  // defines its own clip
#include "text/bleu.hpp"
#include "text/byte_merges.hpp"
#include "text/byte_pairs.hpp"
#include "train/checkpoint.hpp"  // uses only the book's Adam
#include "train/exchange/gradient_sums.hpp"
#define Schedule ScheduleOfTheBook
#include "train/schedule.hpp"
#undef Schedule

// What the program uses instead of the book's ops and layers, which is included before each of its
// sources. First the ops, and others of common/.
namespace xf {

struct Schedule {
  ScheduleKind kind = ScheduleKind::noam;
  double peak = 1e-3;
  int warmup = 0;

  double operator()(int t, double progress = 0) const;
};

namespace mine {

Bleu bleu(const std::vector<std::string>& hypotheses, const std::vector<std::string>& references,
          const BleuOptions& options = {});
Tensor attend_rows(const Tensor& q, const GrowingRows& keys, const GrowingRows& values,
                   const RowLists& seen, int heads);
Tensor cross_entropy(Tensor logits, const Ids& targets, const CrossEntropyOptions& options = {});
Tensor dropout(const Tensor& x, float p);
double clip(GradientSums& g, double longest);
Tensor rms_norm(const Tensor& x, const Tensor& gamma, float eps);

class Adam : public xf::Adam {
 public:
  explicit Adam(std::vector<NamedParameter> parameters, const AdamOptions& options = {})
      : xf::Adam(parameters, options), parameters_(std::move(parameters)), options_(options) {}
  void step(const GradientSums& g, double learning_rate);
  void step(Gradients& g, double learning_rate) { step(sum_of(parameters_, g), learning_rate); }

 private:
  std::vector<NamedParameter> parameters_;
  AdamOptions options_;
};

// Also keeps the merges in the form that the exercise uses.
class ByteMerges : public xf::ByteMerges {
 public:
  using xf::ByteMerges::ByteMerges;
  void add(std::string_view left, std::string_view right);
  void finish();
  std::vector<int> encode(std::string_view piece) const;
  static std::string bytes(std::string_view written);

 private:
  std::string lines_;         // "left right\n" for each merge
  std::vector<Pair> merges_;  // the same in the form that the part uses
};

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
    explicit Own(std::vector<std::pair<std::string, std::string>> learned);
    void add(const std::string& piece);

    std::vector<std::pair<std::string, std::string>> merges;
    std::vector<std::string> spelled;  // by id
    std::map<std::string, int> ids;
    std::string bytes;                              // of the file
    std::map<std::string, std::vector<int>> known;  // words that have been cut before
    std::mutex one_at_a_time;
  };

  BytePairs(xf::BytePairs book, std::shared_ptr<Own> own = {})
      : book_(std::move(book)), own_(std::move(own)) {}

  xf::BytePairs book_;
  std::shared_ptr<Own> own_;
};

}  // namespace mine

}  // namespace xf

#define Adam mine::Adam
#define ByteMerges mine::ByteMerges
#define BytePairs mine::BytePairs
#define attend_rows(...) mine::attend_rows(__VA_ARGS__)
#define bleu(...) mine::bleu(__VA_ARGS__)
#define clip(...) mine::clip(__VA_ARGS__)
#define cross_entropy(...) mine::cross_entropy(__VA_ARGS__)
#define cross_entropy_in_place(...) cross_entropy(__VA_ARGS__)
#define dropout(...) mine::dropout(__VA_ARGS__)

#include "mine/instead.hpp"

namespace xf::mine {

// Rows of the table, looked up by the exercise, which multiplies them by sqrt(D).
Tensor rows_of_table(const Ids& ids, const Tensor& table);
// Attention with one head.   q: (B, 1, T, D)   k, v: (B, 1, S, D)   returns (B, T, D)
Tensor attention_of_one_head(const Tensor& q, const Tensor& k, const Tensor& v);
// `turns` come from RotaryPositions::turns().
Tensor rotate(const Tensor& x, const Tensor& turns);

}  // namespace xf::mine

#define embedding mine::rows_of_table
#include "00_foundations/next_letter.hpp"
#undef embedding
#define attention mine::attention_of_one_head
#include "02_attention/recurrent.hpp"
#undef attention
#define rms_norm(...) mine::rms_norm(__VA_ARGS__)
#include "09_since_2017/rms_norm.hpp"
#undef rms_norm
#define rotate mine::rotate
#define GroupedAttention GroupedAttentionOfTheBook
#define RelativeAttention RelativeAttentionOfTheBook
#define RotaryPositions RotaryPositionsOfTheBook
#define SwiGlu SwiGluOfTheBook
#define Transformer TransformerOfTheBook
#define choices choices_of_the_book
#define chosen chosen_of_the_book
#include "07_transformer/transformer.hpp"
#include "08_transformer_xl/relative_attention.hpp"
#include "09_since_2017/grouped_attention.hpp"
#include "09_since_2017/rotary_position.hpp"
#include "09_since_2017/swiglu.hpp"
#include "09_since_2017/token_choice.hpp"
#undef rotate
#undef GroupedAttention
#undef RelativeAttention
#undef RotaryPositions
#undef SwiGlu
#undef Transformer
#undef choices
#undef chosen

namespace xf {

struct Transformer : TransformerOfTheBook {
  using TransformerOfTheBook::TransformerOfTheBook;
  Tensor operator()(const Sentences& source, const Sentences& target) const;
};

struct RelativeAttention : RelativeAttentionOfTheBook {
  using RelativeAttentionOfTheBook::RelativeAttentionOfTheBook;
  Tensor operator()(const Tensor& x, const Keys& to, const GlobalBiases& bias,
                    const Mask& mask) const;
};

struct GroupedAttention : GroupedAttentionOfTheBook {
  using GroupedAttentionOfTheBook::GroupedAttentionOfTheBook;
  Tensor operator()(const Tensor& x, const Tensor& turns, GroupedCache* cache = nullptr) const;
};

// Also stores its base, because the exercise rotates by the base and the first row's position, and
// whether it is slowed down for longer texts, which the exercise does not support.
struct RotaryPositions : RotaryPositionsOfTheBook {
  double base;
  bool slowed;

  RotaryPositions(int d_k, double of_base, const RotaryScaling& scaling = {})
      : RotaryPositionsOfTheBook(d_k, of_base, scaling),
        base(of_base),
        slowed(frequencies != RotaryPositionsOfTheBook(d_k, base).frequencies) {}
  Tensor turns(int first, int count) const;
};

struct SwiGlu : SwiGluOfTheBook {
  using SwiGluOfTheBook::SwiGluOfTheBook;
  Tensor operator()(const Tensor& x) const;
};

Choices choices(const Values& logits, const TokenChoice& how);
int chosen(const Choices& from, Random& random);

}  // namespace xf

#include "09_since_2017/decoder_only.hpp"
#define generate generate_of_the_book
#include "09_since_2017/sampling.hpp"
#undef generate

namespace xf {

// Also reports, before it starts, how long a token takes, and afterwards which parts took it.
void generate(const DecoderOnly& model, const std::vector<int>& prompt, int length,
              const TokenChoice& how, Random& random, const std::function<bool(int)>& take);

}  // namespace xf
