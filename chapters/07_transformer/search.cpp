#include "07_transformer/search.hpp"

#include <algorithm>
#include <bit>
#include <set>

#include "nn/parameters.hpp"
#include "ops/cross_entropy/cross_entropy.hpp"
#include "ops/matmul/decoding_session.hpp"
#include "ops/shape/shape_ops.hpp"
#include "tensor/portable_math.hpp"
#include "text/likeliest.hpp"

namespace xf {

namespace {

// One prefix of a translation; row r of the decoder's batch belongs to the r-th of them.
struct Prefix {
  int sentence;
  std::vector<int> tokens;
  double log_probability = 0;
};

// A way to go on: append `token` to prefix `row`.
struct Continuation {
  int row, token;
  double log_probability;
};

bool better(const Continuation& a, const Continuation& b) {
  if (a.log_probability != b.log_probability) return a.log_probability > b.log_probability;
  return a.row != b.row ? a.row < b.row : a.token < b.token;
}

// For each prefix its likeliest tokens, by log p.
using Tops = std::vector<std::vector<Placed>>;

// The `count` best continuations of the prefixes [first, last), best first.
std::vector<Continuation> best_continuations(const std::vector<Prefix>& prefixes, int first,
                                             int last, const Tops& tops, int count) {
  std::vector<Continuation> best;
  for (int row = first; row < last; ++row) {
    const auto r = static_cast<std::size_t>(row);
    for (const Placed& top : tops[r])
      best.push_back({row, top.index, prefixes[r].log_probability + top.value});
  }
  std::sort(best.begin(), best.end(), better);
  if (static_cast<int>(best.size()) > count) best.resize(static_cast<std::size_t>(count));
  return best;
}

// Which tokens may not follow which.
class Banned {
 public:
  explicit Banned(const std::vector<std::vector<int>>& sequences) {
    for (const std::vector<int>& tokens : sequences)
      if (tokens.size() == 1)
        always_.insert(tokens[0]);
      else if (!tokens.empty())
        after_.push_back(tokens);
  }

  // At most how many there are at a time.
  int most() const { return static_cast<int>(always_.size() + after_.size()); }

  // May `token` follow <bos> and `before`?
  bool allows(const std::vector<int>& before, int token) const {
    if (always_.contains(token)) return false;
    return std::none_of(after_.begin(), after_.end(), [&](const std::vector<int>& sequence) {
      return sequence.back() == token && ends_in(before, sequence);
    });
  }

 private:
  static bool ends_in(const std::vector<int>& before, const std::vector<int>& sequence) {
    const std::size_t length = sequence.size() - 1;
    if (length > before.size() + 1) return false;
    for (std::size_t i = 0; i < length; ++i) {
      const std::size_t from_end = length - i;  // <bos> stands before the first
      const int token = from_end > before.size() ? bos_id : before[before.size() - from_end];
      if (token != sequence[i]) return false;
    }
    return true;
  }

  std::set<int> always_;
  std::vector<std::vector<int>> after_;
};

class BeamSearch {
 public:
  BeamSearch(const Transformer& model, const Ids& source, const SearchOptions& options)
      : model_(model),
        source_(source),
        options_(options),
        banned_(options.never),
        complete_(static_cast<std::size_t>(source.size(0))) {
    cache_ = model.start(source);
    make_room(source);
    for (int b = 0; b < source.size(0); ++b) {
      prefixes_.push_back({b, {}, 0});
      const std::int32_t* row = source.begin() + b * source.size(1);
      const auto words = std::count_if(row, row + source.size(1), [](int id) { return id != 0; });
      const int limit = options.max_length > 0 ? options.max_length
                                               : 2 * static_cast<int>(words) + options.extra_length;
      limits_.push_back(model.learns_positions() ? std::min(limit, learned_places) : limit);
    }
  }

  std::vector<Hypothesis> run() {
    while (!prefixes_.empty()) advance();
    std::vector<Hypothesis> best;
    for (std::vector<Hypothesis>& found : complete_)
      best.push_back(
          *std::max_element(found.begin(), found.end(),
                            [](const auto& a, const auto& b) { return a.score < b.score; }));
    return best;
  }

 private:
  // Room for the keys and values of translations that are a little longer than their sources.
  // Beams share most of their past: two rows a position are enough. A power of two, so that the
  // next batch finds the room of this one among the free blocks.
  void make_room(const Ids& source) {
    const int positions = source.size(1) + source.size(1) / 8 + 2;
    const int rows = source.size(0) * (positions * std::min(2, options_.beam) + options_.beam);
    const auto room = static_cast<int>(std::bit_ceil(static_cast<unsigned>(rows)));
    cache_.past.make_room(room, model_.config.d_model);
  }

  // One more token for every prefix.
  void advance() {
    const Tops tops = next_tokens();
    std::vector<Prefix> next;
    std::vector<int> parents;
    for (int first = 0; first < rows();) {
      int last = first;
      while (last < rows() && prefixes_[index(last)].sentence == prefixes_[index(first)].sentence)
        ++last;
      extend(first, last, tops, next, parents);
      first = last;
    }
    prefixes_ = std::move(next);
    if (!prefixes_.empty()) reorder_cache(parents);
  }

  // For each prefix its likeliest next tokens.
  Tops next_tokens() {
    if (options_.forced_end && at_limit(prefixes_[0].sentence))
      return Tops(prefixes_.size(), {Placed{0, eos_id}});
    const Tensor log_p = next_log_probabilities();
    const auto may = [&](int row, int token) {
      return banned_.allows(prefixes_[index(row)].tokens, token);
    };
    Tops tops = likeliest(log_p, 2 * options_.beam, banned_.most(), may);
    if (options_.renormalized) renormalize(log_p, tops, may);
    return tops;
  }

  // log p becomes log p - log(sum of p over the tokens that may be written).
  template <class May>
  static void renormalize(const Tensor& log_p, Tops& tops, const May& may) {
    const Values values = log_p.values();
    const int width = log_p.size(-1);
    for (std::size_t row = 0; row < tops.size(); ++row) {
      double sum = 0;
      for (int token = 0; token < width; ++token)
        if (may(static_cast<int>(row), token))
          sum += portable::exp(double(values.begin()[row * index(width) + index(token)]));
      for (Placed& top : tops[row]) top.value -= static_cast<float>(portable::log(sum));
    }
  }

  // Does max_length, which is the same for all, leave room for one token only?
  bool at_limit(int sentence) const {
    return options_.max_length > 0 && positions() + 1 >= limits_[index(sentence)];
  }

  Tensor next_log_probabilities() {
    if (!model_.causal) return log_softmax(recomputed_logits());
    std::vector<std::int32_t> last_tokens;
    for (const Prefix& b : prefixes_)
      last_tokens.push_back(b.tokens.empty() ? bos_id : b.tokens.back());
    const Ids ids({rows(), 1}, last_tokens);
    return log_softmax(model_.decode(ids, cache_));  // (rows, 1, V)
  }

  // Without the causal mask a new token changes all states before it: nothing is to be kept.
  Tensor recomputed_logits() const {
    const int source_length = source_.size(1), length = positions() + 1;
    std::vector<std::int32_t> sources, targets;
    for (const Prefix& p : prefixes_) {
      const std::int32_t* from = source_.begin() + p.sentence * source_length;
      sources.insert(sources.end(), from, from + source_length);
      targets.push_back(bos_id);
      targets.insert(targets.end(), p.tokens.begin(), p.tokens.end());
    }
    const Tensor logits = model_(Ids({rows(), source_length}, sources),
                                 Ids({rows(), length}, targets));  // (rows, T, V)
    return slice(logits, 1, length - 1, 1);                        // (rows, 1, V)
  }

  // Distributes the best continuations of one sentence: <eos> completes a hypothesis, others live
  // on, up to the width of the beam.
  void extend(int first, int last, const Tops& tops, std::vector<Prefix>& next,
              std::vector<int>& parents) {
    const int sentence = prefixes_[index(first)].sentence;
    std::vector<Hypothesis>& found = complete_[index(sentence)];
    const auto candidates = best_continuations(prefixes_, first, last, tops, 2 * options_.beam);
    const std::size_t start = next.size();
    int rank = 0;
    for (const Continuation& c : candidates) {
      const Prefix& parent = prefixes_[index(c.row)];
      auto fate = Candidate::Fate::dropped;
      const bool ends = c.token == eos_id || at_limit(sentence);
      // An end that is not among the best `beam` continuations would not have been kept.
      if (ends && rank < options_.beam) {
        found.push_back(finished(parent.tokens, c.token, c.log_probability));
        fate = Candidate::Fate::complete;
      } else if (!ends && static_cast<int>(next.size() - start) < options_.beam) {
        next.push_back({sentence, parent.tokens, c.log_probability});
        next.back().tokens.push_back(c.token);
        parents.push_back(c.row);
        fate = Candidate::Fate::kept;
      }
      if (options_.on_candidate)
        options_.on_candidate({sentence, parent.tokens, c.token,
                               c.log_probability - parent.log_probability, c.log_probability,
                               fate});
      ++rank;
    }
    const bool too_long = positions() + 1 >= limits_[index(sentence)] || next.size() == start;
    if (too_long && found.empty()) {
      const Prefix& longest = next.size() == start ? prefixes_[index(first)] : next[start];
      found.push_back(finished(longest.tokens, eos_id, longest.log_probability));
    }
    if (too_long || done(found, next[start].log_probability, sentence)) {
      next.resize(start);
      parents.resize(start);
    }
  }

  // Are the translations found enough, where the best prefix has this log p? Keeps the best.
  bool done(std::vector<Hypothesis>& found, double log_probability, int sentence) const {
    const auto beam = index(options_.beam);
    if (found.size() < beam) return false;
    if (options_.end == SearchEnd::full) return true;
    std::stable_sort(found.begin(), found.end(),
                     [](const auto& a, const auto& b) { return a.score > b.score; });
    found.resize(beam);
    const bool later = options_.end == SearchEnd::never_better && options_.length_penalty > 0;
    const int length = later ? limits_[index(sentence)] : positions() + 1;
    return score(log_probability, length) <= found.back().score;
  }

  // The tokens and one more; <eos> goes without saying.
  Hypothesis finished(std::vector<int> tokens, int last, double log_probability) const {
    const auto length = static_cast<int>(tokens.size()) + 1;  // with <eos>
    if (last != eos_id) tokens.push_back(last);
    return {std::move(tokens), log_probability, score(log_probability, length)};
  }
  double score(double log_probability, int length) const {
    return log_probability / portable::pow(double(length), options_.length_penalty);
  }

  // Sentence r of the cache goes on from what was sentence parents[r].
  void reorder_cache(const std::vector<int>& parents) {
    bool same = index(cache_.sentences()) == parents.size();
    for (std::size_t r = 0; same && r < parents.size(); ++r) same = index(parents[r]) == r;
    if (!same) cache_.select(parents);
    const int count = cache_.past.row_count();
    const bool full = count + rows() > cache_.past.room();
    if (full && 3 * count > 4 * rows_kept_) rows_kept_ = cache_.past.drop_unseen();
  }

  int rows() const { return static_cast<int>(prefixes_.size()); }
  // How many tokens each of them has.
  int positions() const { return static_cast<int>(prefixes_[0].tokens.size()); }
  static std::size_t index(int i) { return static_cast<std::size_t>(i); }

  const Transformer& model_;
  Ids source_;
  SearchOptions options_;
  Banned banned_;
  DecoderCache cache_;
  int rows_kept_ = 0;             // of keys and values, when the unused ones were thrown out last
  std::vector<Prefix> prefixes_;  // sentence by sentence
  std::vector<std::vector<Hypothesis>> complete_;  // per sentence
  std::vector<int> limits_;
};

}  // namespace

std::vector<Hypothesis> translate(const Transformer& model, const Ids& source,
                                  const SearchOptions& options) {
  if (options.beam < 1) throw std::invalid_argument("translate: the beam must be at least 1");
  BeamSearch search(model, source, options);
  if (DecodingSession::active()) return search.run();  // of the whole text
  DecodingSession session(weights(model));
  const DecodingSession::Use use(session);
  return search.run();
}

}  // namespace xf
