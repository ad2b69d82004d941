// The search made of parts: greedy search for a beam of one, beam search otherwise.

// The book's search, renamed.
#define translate translate_of_the_book
#include "07_transformer/search.cpp"
#undef translate

#include "mine/parts.hpp"
#include "text/batches.hpp"
#include "text/corpus.hpp"

namespace xf {

namespace {

using namespace mine;

int limit_of(const Transformer& model, const Ids& source, int b, const SearchOptions& options) {
  const std::int32_t* row = source.begin() + b * source.size(1);
  const auto words = std::count_if(row, row + source.size(1), [](int id) { return id != pad_id; });
  const int limit = options.max_length > 0 ? options.max_length
                                           : 2 * static_cast<int>(words) + options.extra_length;
  return model.learns_positions() ? std::min(limit, max_learned_positions) : limit;
}

Hypothesis hypothesis(const Transformer& model, const Ids& source, mine::Words words,
                      const SearchOptions& options) {
  const std::vector<Example> one{{{source.begin(), source.end()}, words}};
  const Batch batch = make_batch(one, all_of(one));
  const auto log_p = log_likelihood(model(source, batch.target_in), batch.target_out, pad_id);
  const double p = std::accumulate(log_p.begin(), log_p.end(), 0.0);
  return {std::move(words), p, score(p, static_cast<int>(log_p.size()), options)};
}

Ids one_of(const Ids& source, int b) {
  std::vector<std::int32_t> row(source.begin() + b * source.size(1),
                                source.begin() + (b + 1) * source.size(1));
  while (!row.empty() && row.back() == pad_id) row.pop_back();
  return Ids({1, static_cast<int>(row.size())}, row);
}

// The exercise never chooses <pad> or <bos>; the book does not choose <unk> either.
Matrix scores_of(const Tensor& logits) {
  Matrix scores = rows_of(logits);
  for (std::size_t b = 0; b < scores.shape(0); ++b)
    scores(b, unk_id) = -std::numeric_limits<float>::infinity();
  return scores;
}

std::vector<Hypothesis> greedily(const Transformer& model, const Ids& source,
                                 const SearchOptions& options) {
  const int rows = source.size(0);
  DecoderCache cache = model.start(source);
  const auto decoder = [&](const Ids& words) {  // (B, t + 1)
    const int length = words.size(1);
    if (length != cache.length() + 1)
      throw_of_part("06-04", xf::words("it asks for {} words at once", length));
    std::vector<std::int32_t> last;
    for (int b = 0; b < rows; ++b) last.push_back(words.at(b, length - 1));
    return scores_of(model.decode(Ids({rows, 1}, last), cache));
  };
  int longest = 0;
  for (int b = 0; b < rows; ++b) longest = std::max(longest, limit_of(model, source, b, options));
  std::vector<Hypothesis> best;
  std::vector<mine::Words> found = parts().greedy(decoder, rows, longest);
  for (int b = 0; b < rows; ++b) {
    mine::Words& words = found.at(std::size_t(b));
    words.resize(std::min(words.size(), std::size_t(limit_of(model, source, b, options))));
    best.push_back(hypothesis(model, one_of(source, b), words, options));
  }
  return best;
}

// The exercise's length penalty is that of Wu et al.: ((5 + n) / 6)^alpha.
std::vector<Hypothesis> with_a_beam(const Transformer& model, const Ids& source,
                                    const SearchOptions& options) {
  std::vector<Hypothesis> best;
  for (int b = 0; b < source.size(0); ++b) {
    const Ids from = one_of(source, b);
    const Tensor encoded = model.encode(from);
    const auto decoder = [&](mine::Words& cache, int word) {
      cache.push_back(word);
      const Ids so_far({1, static_cast<int>(cache.size())},
                       std::vector<std::int32_t>(cache.begin(), cache.end()));
      const Tensor log_p =
          log_softmax(model.decode(so_far, encoded, mask_of(so_far, from)));  // (1, t, V)
      const Values numbers = log_p.values();
      Numbers last(numbers.end() - log_p.size(-1), numbers.end());
      for (const int never : {pad_id, bos_id, unk_id})
        last[std::size_t(never)] = -std::numeric_limits<double>::infinity();
      return last;
    };
    mine::Words words = parts().beam_search(
        decoder, options.beam, limit_of(model, from, 0, options), options.length_penalty);
    best.push_back(hypothesis(model, from, std::move(words), options));
  }
  return best;
}

}  // namespace

std::vector<Hypothesis> translate(const Transformer& model, const Ids& source,
                                  const SearchOptions& options, const SearchRules& rules,
                                  const SearchObserver& observer) {
  const bool plain = !observer && options.beam >= 1;
  if (plain && options.beam == 1 && parts().greedy) return greedily(model, source, options);
  if (plain && options.beam > 1 && parts().beam_search) return with_a_beam(model, source, options);
  return translate_of_the_book(model, source, options, rules, observer);
}

std::vector<Hypothesis> translate(const Transformer& model, const Ids& source,
                                  const SearchOptions& options) {
  return translate(model, source, options, SearchRules(), {});
}

}  // namespace xf
