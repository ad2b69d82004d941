#include "07_transformer/search.hpp"

#include <bit>
#include <limits>
#include <numeric>

#include "07_transformer/search_rules.hpp"
#include "nn/parameters.hpp"
#include "ops/cross_entropy/cross_entropy.hpp"
#include "ops/matmul/decoding_session.hpp"
#include "ops/shape/shape_ops.hpp"
#include "tensor/portable_math.hpp"

namespace xf {

namespace {

std::size_t index(int i) { return static_cast<std::size_t>(i); }

// The logits of the token after each prefix, with the keys and values of the steps before.
class CachedDecoder {
 public:
  CachedDecoder(const Transformer& model, const Ids& source, int beam)
      : model_(model), cache_(model.start(source)) {
    // Room for the keys and values of translations that are a little longer than their sources.
    // Beams share most of their past: two rows per position are enough. A power of two, so that the
    // next batch can reuse the buffers of this one.
    const int positions = source.size(1) + source.size(1) / 8 + 2;
    const int rows = source.size(0) * (positions * std::min(2, beam) + beam);
    const auto room = static_cast<int>(std::bit_ceil(static_cast<unsigned>(rows)));
    cache_.past.make_room(room, model.config.d_model);
  }

  Tensor logits(const std::vector<Prefix>& prefixes) {
    std::vector<std::int32_t> last_tokens;
    for (const Prefix& p : prefixes)
      last_tokens.push_back(p.tokens.empty() ? bos_id : p.tokens.back());
    follow(prefixes);
    const Ids ids({static_cast<int>(prefixes.size()), 1}, last_tokens);
    return model_.decode(ids, cache_);  // (R, 1, V)
  }

 private:
  // Row r of the cache becomes the past of prefix r, taken from its parent.
  void follow(const std::vector<Prefix>& prefixes) {
    std::vector<int> parents, same(index(cache_.sentences()));
    for (const Prefix& p : prefixes) parents.push_back(p.parent);
    std::iota(same.begin(), same.end(), 0);
    if (parents != same) cache_.select(parents);
    const int count = cache_.past.row_count(), rows = cache_.sentences();
    const bool full = count + rows > cache_.past.room();
    if (full && 3 * count > 4 * rows_kept_) rows_kept_ = cache_.past.drop_unseen();
  }

  const Transformer& model_;
  DecoderCache cache_;
  int rows_kept_ = 0;  // row count when unused rows were last removed
};

// A batch: the complete translations of each sentence, and the prefixes that are still extended.
class BeamSearch {
 public:
  BeamSearch(const Ids& source, const SearchOptions& options, const SearchRules& rules,
             const SearchObserver& observer, int most = std::numeric_limits<int>::max())
      : options_(options), rules_(rules), observer_(observer), complete_(index(source.size(0))) {
    if (options.beam < 1) throw std::invalid_argument("translate: the beam must be at least 1");
    for (int b = 0; b < source.size(0); ++b) {
      prefixes_.push_back({.sentence = b, .parent = b});
      const std::int32_t* row = source.begin() + b * source.size(1);
      const auto words = std::count_if(row, row + source.size(1), [](int id) { return id != 0; });
      const int limit = options.max_length > 0 ? options.max_length
                                               : 2 * static_cast<int>(words) + options.extra_length;
      limits_.push_back(std::min(limit, most));
    }
  }

  template <class Logits>
  std::vector<Hypothesis> run(const Logits& logits) {
    while (!prefixes_.empty()) {
      const NextTokens next =
          rules_.next(log_softmax_in_place(logits(prefixes_)), prefixes_, options_);
      std::vector<Prefix> alive;
      for (std::size_t first = 0, last; first < prefixes_.size(); first = last) {
        for (last = first + 1; last < prefixes_.size(); ++last)
          if (prefixes_[last].sentence != prefixes_[first].sentence) break;
        extend(static_cast<int>(first), {next.begin() + offset(first), next.begin() + offset(last)},
               alive);
      }
      prefixes_ = std::move(alive);
    }
    std::vector<Hypothesis> best;
    for (const std::vector<Hypothesis>& found : complete_)
      best.push_back(
          *std::max_element(found.begin(), found.end(),
                            [](const auto& a, const auto& b) { return a.score < b.score; }));
    return best;
  }

 private:
  // One step of the sentence whose prefixes begin at `first`; the surviving ones join `alive`.
  void extend(int first, const NextTokens& next, std::vector<Prefix>& alive) {
    const Prefix& best_before = prefixes_[index(first)];
    const int sentence = best_before.sentence, limit = limits_[index(sentence)];
    const bool last = static_cast<int>(best_before.tokens.size()) + 1 >= limit;
    auto weighed = continuations(prefixes_, first, next, 2 * options_.beam);
    for (Continuation& c : weighed) c.ends = rules_.ends(c.token, last && options_.max_length > 0);
    const BeamStep step(weighed, options_.beam);
    if (observer_) observer_(prefixes_, weighed, step);

    std::vector<Hypothesis>& found = complete_[index(sentence)];
    for (const Continuation& c : step.complete) found.push_back(hypothesis(extended(c)));
    std::vector<Prefix> longer;
    for (const Continuation& c : step.alive) longer.push_back(extended(c));
    const bool over = last || longer.empty();
    if (over && found.empty()) {
      Prefix longest = longer.empty() ? best_before : longer[0];
      longest.tokens.push_back(eos_id);
      found.push_back(hypothesis(longest));
    }
    const bool full = static_cast<int>(found.size()) >= options_.beam;
    if (!over && !(full && rules_.enough(found, longer[0], limit, options_)))
      alive.insert(alive.end(), longer.begin(), longer.end());
  }

  Prefix extended(const Continuation& c) const {
    Prefix longer = prefixes_[index(c.parent)];
    longer.tokens.push_back(c.token);
    longer.log_probability = c.log_probability;
    longer.parent = c.parent;
    return longer;
  }

  // The score covers all tokens; an <eos> at the end is then removed.
  Hypothesis hypothesis(Prefix whole) const {
    const double p = whole.log_probability;
    const double by_length = score(p, static_cast<int>(whole.tokens.size()), options_);
    if (whole.tokens.back() == eos_id) whole.tokens.pop_back();
    return {std::move(whole.tokens), p, by_length};
  }

  static std::ptrdiff_t offset(std::size_t i) { return static_cast<std::ptrdiff_t>(i); }

  const SearchOptions& options_;
  const SearchRules& rules_;
  const SearchObserver& observer_;
  std::vector<Prefix> prefixes_;                   // grouped by sentence, best first
  std::vector<std::vector<Hypothesis>> complete_;  // per sentence
  std::vector<int> limits_;                        // maximum tokens of a sentence, <eos> included
};

}  // namespace

NextTokens SearchRules::next(const Tensor& log_p, const std::vector<Prefix>&,
                             const SearchOptions& options) const {
  return likeliest(log_p, 2 * options.beam);
}

bool SearchRules::ends(int token, bool) const { return token == eos_id; }

bool SearchRules::enough(const std::vector<Hypothesis>&, const Prefix&, int,
                         const SearchOptions&) const {
  return true;
}

double score(double log_probability, int length, const SearchOptions& options) {
  return log_probability / portable::pow(double(length), options.length_penalty);
}

std::vector<Hypothesis> translate(const Transformer& model, const Ids& source,
                                  const SearchOptions& options) {
  return translate(model, source, options, SearchRules());
}

std::vector<Hypothesis> translate(const Transformer& model, const Ids& source,
                                  const SearchOptions& options, const SearchRules& rules,
                                  const SearchObserver& observer) {
  const int most =
      model.learns_positions() ? max_learned_positions : std::numeric_limits<int>::max();
  BeamSearch search(source, options, rules, observer, most);
  CachedDecoder decoder(model, source, options.beam);
  const DecodingSession session(weights(model));
  return search.run([&](const std::vector<Prefix>& p) { return decoder.logits(p); });
}

std::vector<Hypothesis> beam_search(const NextLogits& logits, const Ids& source,
                                    const SearchOptions& options, const SearchObserver& observer) {
  return BeamSearch(source, options, SearchRules(), observer).run(logits);
}

}  // namespace xf
