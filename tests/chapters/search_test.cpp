#include "07_transformer/search.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "07_transformer/program/marian_search.hpp"
#include "nn/parameters.hpp"
#include "ops/cross_entropy/cross_entropy.hpp"

namespace xf::test {

namespace {

// A random model of 3 words beside the special tokens, its weights large enough to have opinions.
Transformer opinionated_model(std::uint64_t seed) {
  Random random(seed);
  Transformer model({.source_vocabulary = 9,
                     .target_vocabulary = 7,
                     .d_model = 8,
                     .d_ff = 16,
                     .heads = 2,
                     .encoder_layers = 1,
                     .decoder_layers = 2,
                     .dropout = 0},
                    random);
  for (const NamedParameter& p : parameters(model))
    if (p.name.starts_with("output"))
      replace_each(*p.tensor, [&](float) { return 0.8 * random.normal(); });
  return model;
}

// log p(tokens, <eos> | source), by teacher forcing.
double log_probability(const Transformer& model, const Ids& source,
                       const std::vector<int>& tokens) {
  std::vector<std::int32_t> in{bos_id}, out(tokens.begin(), tokens.end());
  in.insert(in.end(), tokens.begin(), tokens.end());
  out.push_back(eos_id);
  const int length = static_cast<int>(in.size());
  double sum = 0;
  for (float log_p : log_likelihood(model(source, Ids({1, length}, in)), Ids({length}, out)))
    sum += log_p;
  return sum;
}

// Every sequence of at most `longest` of the words 4, 5, 6.
std::vector<std::vector<int>> all_sequences(std::size_t longest) {
  std::vector<std::vector<int>> all{{}};
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].size() < longest)
      for (int word : {4, 5, 6}) {
        all.push_back(all[i]);
        all.back().push_back(word);
      }
  return all;
}

}  // namespace

TEST_CASE("search: a beam as wide as the language finds the best sequence of all") {
  const Ids source({1, 2}, {5, eos_id});
  for (std::uint64_t seed : {1u, 2u, 3u})
    for (double penalty : {0.0, 1.0}) {
      const Transformer model = opinionated_model(seed);
      // At most 2 * 2 - 1 = 3 steps: sequences of up to 2 words and <eos>.
      const auto found =
          translate(model, source, {.beam = 100, .length_penalty = penalty, .extra_length = -1});
      double best = -1e9;
      std::vector<int> best_tokens;
      for (const std::vector<int>& tokens : all_sequences(2)) {
        const double log_p = log_probability(model, source, tokens);
        const double score = log_p / std::pow(double(tokens.size()) + 1, penalty);
        if (score > best) {
          best = score;
          best_tokens = tokens;
        }
      }
      CHECK(found[0].tokens == best_tokens);
      CHECK(found[0].score == doctest::Approx(best).epsilon(1e-5));
    }
}

TEST_CASE("search: greedy takes the most probable token at every step") {
  const Ids source({1, 3}, {4, 6, eos_id});
  const Transformer model = opinionated_model(4);
  std::vector<std::int32_t> read{bos_id};
  std::vector<int> expected;
  for (int step = 0; step < 11; ++step) {  // the limit: 2 * 3 + 5
    const int length = static_cast<int>(read.size());
    const Tensor logits = model(source, Ids({1, length}, read));  // the whole past, without a cache
    const float* last = logits.values().begin() + (length - 1) * 7;
    int best = eos_id;
    for (int token : {4, 5, 6})
      if (last[token] > last[best]) best = token;
    if (best == eos_id) break;
    expected.push_back(best);
    read.push_back(best);
  }
  CHECK(greedy(model, source, 11) == expected);
  CHECK(translate(model, source, {.extra_length = 5})[0].tokens == expected);
}

TEST_CASE("search: what is reported is the log probability of the translation") {
  const Ids source({1, 3}, {4, 8, eos_id});
  int ended = 0;
  for (std::uint64_t seed : {5u, 6u, 7u, 8u}) {
    const Transformer model = opinionated_model(seed);
    const Hypothesis found = translate(model, source, {.beam = 3, .extra_length = 4})[0];
    if (found.tokens.size() >= 10) continue;  // cut off at the limit, without <eos>
    ++ended;
    CHECK(found.log_probability ==
          doctest::Approx(log_probability(model, source, found.tokens)).epsilon(1e-5));
  }
  CHECK(ended >= 2);
}

TEST_CASE("search: every candidate that it weighed can be seen, and the way to the result") {
  const Ids source({1, 3}, {4, 8, eos_id});
  const SearchOptions options{.beam = 3, .extra_length = 4};
  std::size_t steps = 0, chosen = 0;
  std::vector<int> result;
  const SearchObserver observer = [&](const std::vector<Prefix>& prefixes,
                                      const std::vector<Continuation>& weighed,
                                      const BeamStep& step) {
    CHECK(weighed.size() <= 6);
    CHECK(step.alive.size() <= 3);
    CHECK(step.complete.size() <= 3);
    for (const Continuation& c : weighed)
      CHECK(c.log_probability <= prefixes[std::size_t(c.parent)].log_probability);
    for (const Continuation& c : step.alive) {
      const std::vector<int>& before = prefixes[std::size_t(c.parent)].tokens;
      CHECK(before.size() == steps);
      chosen += steps < result.size() && c.token == result[steps] &&
                std::equal(before.begin(), before.end(), result.begin());
    }
    ++steps;
  };
  const Transformer model = opinionated_model(5);
  result = translate(model, source, options)[0].tokens;
  CHECK(translate(model, source, options, SearchRules(), observer)[0].tokens == result);
  CHECK(chosen == result.size());
  CHECK(steps > result.size());
}

TEST_CASE("search: a sentence's translation does not depend on its neighbours or its padding") {
  const Ids batch({3, 5}, {4, 5, 6, 7, eos_id, 8, eos_id, 0, 0, 0, 7, 6, eos_id, 0, 0});
  const std::vector<Ids> alone{Ids({1, 5}, {4, 5, 6, 7, eos_id}), Ids({1, 2}, {8, eos_id}),
                               Ids({1, 3}, {7, 6, eos_id})};
  for (int beam : {1, 2, 4}) {
    const Transformer model = opinionated_model(8);
    const SearchOptions options{.beam = beam, .extra_length = 3};
    const auto together = translate(model, batch, options);
    for (std::size_t i = 0; i < 3; ++i) {
      const Hypothesis single = translate(model, alone[i], options)[0];
      CHECK(together[i].tokens == single.tokens);
      CHECK(together[i].log_probability == doctest::Approx(single.log_probability).epsilon(1e-5));
    }
  }
}

// How long a translation may get decides when a search for a better one ends.
TEST_CASE("search: every sentence has a length limit of its own") {
  std::vector<std::int32_t> ids(40, 4);
  ids[1] = ids[39] = eos_id;
  std::fill(ids.begin() + 2, ids.begin() + 20, 0);
  const Ids batch({2, 20}, ids), longer({1, 20}, std::span(ids).subspan(20));
  bool differs = false;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Transformer model = opinionated_model(seed);
    const SearchOptions options{.beam = 2, .length_penalty = 2, .extra_length = 0};
    MarianRules rules;
    rules.end = MarianRules::End::never_better;
    const Hypothesis alone = translate(model, longer, options, rules)[0];
    CHECK(translate(model, batch, options, rules)[1].tokens == alone.tokens);
    differs = differs || alone.tokens.size() > 4;
  }
  CHECK(differs);  // from what the limit of the first one, 2 words, allows
}

TEST_CASE("search: a model that never ends is stopped at the length limit") {
  Transformer model = opinionated_model(9);
  copy_into(model.output.bias, {-1e6f}, eos_id);
  for (int beam : {1, 3}) {
    const Hypothesis found =
        translate(model, Ids({1, 2}, {5, eos_id}), {.beam = beam, .extra_length = 7})[0];
    CHECK(found.tokens.size() == 11);  // 2 * 2 + 7
    for (int token : found.tokens) CHECK(token >= special_count);
  }
}

TEST_CASE("search: a beam of no width is refused") {
  const Transformer model = opinionated_model(1);
  CHECK_THROWS_AS(translate(model, Ids({1, 1}, {eos_id}), {.beam = 0}), std::invalid_argument);
}

}  // namespace xf::test
