// The search made of parts: greedy search for a beam of one, beam search otherwise.

// The book's search, renamed.
#define translate translate_of_the_book
#include "07_transformer/search.cpp"
#undef translate

#include "mine/parts.hpp"
#include "text/batches.hpp"

namespace xf {

namespace {

using namespace mine;

int limit_of(const Transformer& model, const Ids& sentence, const SearchOptions& options) {
  const int limit =
      options.max_length > 0 ? options.max_length : 2 * sentence.size(1) + options.extra_length;
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
  const std::int32_t *begin = source.begin() + b * source.size(1), *end = begin + source.size(1);
  const std::vector<std::int32_t> row(begin, std::find(begin, end, pad_id));
  return Ids({1, static_cast<int>(row.size())}, row);
}

// The exercise never chooses <pad> or <bos>; the book does not choose <unk> either.
std::vector<mine::Words> greedily(const Transformer& model, const Ids& source, int limit) {
  const int rows = source.size(0);
  DecoderCache cache = model.start(source);
  const auto decoder = [&](const Ids& words) {  // (B, t + 1)
    const int length = words.size(1);
    if (length != cache.length() + 1)
      throw_of_part("06-04", xf::words("it asks for {} words at once", length));
    std::vector<std::int32_t> last;
    for (int b = 0; b < rows; ++b) last.push_back(words.at(b, length - 1));
    Matrix scores = rows_of(model.decode(Ids({rows, 1}, last), cache));
    xt::view(scores, xt::all(), unk_id) = -std::numeric_limits<float>::infinity();
    return scores;
  };
  return parts().greedy(decoder, rows, limit);
}

// The exercise's length penalty is that of Wu et al.: ((5 + n) / 6)^alpha.
mine::Words with_a_beam(const Transformer& model, const Ids& sentence, int limit,
                        const SearchOptions& options) {
  const Tensor encoded = model.encode(sentence);
  const auto decoder = [&](mine::Words& cache, int word) {
    cache.push_back(word);
    const Ids so_far({1, static_cast<int>(cache.size())}, std::span<const int>(cache));
    const Tensor log_p =
        log_softmax(model.decode(so_far, encoded, mask_of(so_far, sentence)));  // (1, t, V)
    const Values numbers = log_p.values();
    Numbers last(numbers.end() - log_p.size(-1), numbers.end());
    for (const int never : {pad_id, bos_id, unk_id})
      last[std::size_t(never)] = -std::numeric_limits<double>::infinity();
    return last;
  };
  return parts().beam_search(decoder, options.beam, limit, options.length_penalty);
}

}  // namespace

std::vector<Hypothesis> translate(const Transformer& model, const Ids& source,
                                  const SearchOptions& options, const SearchRules& rules,
                                  const SearchObserver& observer) {
  const bool is_own =
      options.beam == 1 ? bool(parts().greedy) : options.beam > 1 && parts().beam_search;
  if (observer || !is_own) return translate_of_the_book(model, source, options, rules, observer);
  std::vector<mine::Words> greedy;
  if (options.beam == 1) greedy = greedily(model, source, limit_of(model, source, options));
  std::vector<Hypothesis> best;
  for (int b = 0; b < source.size(0); ++b) {
    const Ids sentence = one_of(source, b);
    const int limit = limit_of(model, sentence, options);
    mine::Words words =
        options.beam == 1 ? greedy.at(index(b)) : with_a_beam(model, sentence, limit, options);
    words.resize(std::min(words.size(), index(limit)));
    best.push_back(hypothesis(model, sentence, std::move(words), options));
  }
  return best;
}

std::vector<Hypothesis> translate(const Transformer& model, const Ids& source,
                                  const SearchOptions& options) {
  return translate(model, source, options, SearchRules(), {});
}

}  // namespace xf
