#include "07_transformer/program/evaluation.hpp"

#include <algorithm>

#include "distributed/shared_work.hpp"
#include "nn/parameters.hpp"
#include "ops/cross_entropy/cross_entropy.hpp"
#include "ops/matmul/decoding_session.hpp"
#include "tensor/portable_math.hpp"

namespace xf {

namespace {

constexpr int scored_batch_tokens = 4096;

// Limits on what is decoded together: more takes memory and saves hardly any time. A prefix needs a
// row of probabilities as wide as the vocabulary; a token needs a row of keys and one of values, or
// three of each with a beam, because its hypotheses share most of the past.
constexpr int prefixes_at_once = 144, tokens_at_once = 1280;

// Sentences of similar length, longest first, so that later batches reuse the buffers of
// earlier ones and the threads finish together.
std::vector<std::vector<int>> decoded_batches(const std::vector<Example>& sentences, int beam) {
  const auto most = static_cast<std::size_t>(std::max(1, prefixes_at_once / beam));
  std::vector<std::vector<int>> batches;
  for (const auto& batch : sorted_batches(sentences, tokens_at_once / std::min(3, beam)))
    for (std::size_t first = 0; first < batch.size(); first += most) {
      const auto from = batch.begin() + static_cast<std::ptrdiff_t>(first);
      const auto count = std::min(most, batch.size() - first);
      batches.emplace_back(from, from + static_cast<std::ptrdiff_t>(count));
    }
  std::reverse(batches.begin(), batches.end());
  return batches;
}

// The results of work(batch) for all sentences, in their order. Whole batches are distributed over
// threads and processes, because a single decoding step is too small to be split well.
template <class Result, class Share, class Work>
std::vector<Result> for_each_batch(const Transformer& model, std::size_t sentences,
                                   const std::vector<std::vector<int>>& batches, const Share& share,
                                   const Work& work, const Done& done) {
  const DecodingSession session(weights(model));
  const auto found = share(static_cast<int>(batches.size()), [&](int i) {
    const std::vector<int>& batch = batches[static_cast<std::size_t>(i)];
    auto said = work(batch);
    if (done) done(static_cast<double>(batch.size()));
    return said;
  });
  std::vector<Result> results(sentences);
  for (std::size_t batch = 0; batch < batches.size(); ++batch)
    for (std::size_t i = 0; i < batches[batch].size(); ++i)
      results[static_cast<std::size_t>(batches[batch][i])] = found[batch][i];
  return results;
}

}  // namespace

Phrase token_problem(const Tokenizer& tokenizer, std::size_t most, const std::string& line) {
  // A word of n bytes has at most n + 4 tokens (with BPE's mark of three bytes, and the end of a
  // word in `./learn mine`), so that a short line cannot have too many; except with a published
  // model's tokenizer, whose normalisation can lengthen the text.
  if (3 * line.size() + 2 < most && !tokenizer.published()) return {};
  const std::size_t tokens = tokenizer.encode(line).size();
  if (tokens <= most) return {};
  return words("a line of {} tokens (at most {})", tokens, most);
}

void check_tokens(const Tokenizer& tokenizer, std::size_t most,
                  const std::vector<std::string>& lines, const std::string& path) {
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (const Phrase problem = token_problem(tokenizer, most, lines[i]); !problem.empty())
      throw UserError("{}:{}: {}", path, i + 1, problem);
}

std::vector<Example> encode_pairs(const Translator& translator,
                                  const std::vector<std::string>& source,
                                  const std::vector<std::string>& target) {
  std::vector<Example> pairs;
  for (std::size_t i = 0; i < source.size(); ++i)
    pairs.push_back(
        {translator.encode_source(source[i]), translator.target_tokenizer.encode(target[i])});
  return pairs;
}

std::vector<std::string> translate_lines(const Translator& translator,
                                         const std::vector<std::string>& lines,
                                         const SearchOptions& options, const Done& done) {
  std::vector<Example> sentences;
  std::vector<std::size_t> line_of;  // sentence -> line
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (split_words(lines[i]).empty()) continue;
    sentences.push_back({translator.encode_source(lines[i]), {}});
    line_of.push_back(i);
  }
  const auto translate_batch = [&](const std::vector<int>& which) {
    const Batch batch = make_batch(sentences, which);
    std::vector<std::string> found;
    for (const Hypothesis& best :
         translate(translator.model, batch.source, options, *translator.rules))
      found.push_back(translator.target_tokenizer.decode(best.tokens));
    return found;
  };
  const auto found = for_each_batch<std::string>(translator.model, sentences.size(),
                                                 decoded_batches(sentences, options.beam),
                                                 share_texts, translate_batch, done);
  std::vector<std::string> translations(lines.size());
  for (std::size_t i = 0; i < found.size(); ++i) translations[line_of[i]] = found[i];
  return translations;
}

std::vector<double> score_pairs(const Translator& translator, const std::vector<Example>& pairs,
                                const Done& done) {
  const auto score_batch = [&](const std::vector<int>& which) {
    const Batch batch = make_batch(pairs, which);
    const Tensor logits = translator.model(batch.source, batch.target_in);  // (B, T, V)
    const std::vector<float> log_p = log_likelihood(logits, batch.target_out, pad_id);
    const std::size_t length = static_cast<std::size_t>(batch.target_out.size(1));
    std::vector<double> scores(which.size());
    for (std::size_t row = 0; row < which.size(); ++row)
      for (std::size_t t = 0; t < length; ++t) scores[row] += double(log_p[row * length + t]);
    return scores;
  };
  return for_each_batch<double>(translator.model, pairs.size(),
                                sorted_batches(pairs, scored_batch_tokens), share_numbers,
                                score_batch, done);
}

double perplexity(const std::vector<double>& scores, const std::vector<Example>& pairs) {
  double total = 0, tokens = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    total -= scores[i];
    tokens += static_cast<double>(pairs[i].target.size()) + 1;  // with <eos>
  }
  return portable::exp(total / tokens);
}

}  // namespace xf
