#include "07_transformer/program/marian_search.hpp"

#include <algorithm>

#include "io/files.hpp"
#include "io/json_object.hpp"
#include "tensor/portable_math.hpp"

namespace xf {

namespace {

// Search options that we do not support, with the values that switch them off.
void refuse_others(const JsonObject& file) {
  const auto refuse = [&](const std::string& key, bool asks) {
    if (asks) file.fail(key, "this search has no such rule");
  };
  refuse("do_sample", file.flag("do_sample", false));
  for (const char* key : {"no_repeat_ngram_size", "encoder_no_repeat_ngram_size", "min_length",
                          "min_new_tokens", "penalty_alpha", "top_h"})
    refuse(key, file.number(key, 0) != 0);
  for (const char* key : {"repetition_penalty", "encoder_repetition_penalty", "num_beam_groups"})
    refuse(key, file.number(key, 1) != 1);
  for (const char* key :
       {"forced_bos_token_id", "suppress_tokens", "begin_suppress_tokens", "sequence_bias",
        "force_words_ids", "constraints", "exponential_decay_length_penalty", "guidance_scale"})
    refuse(key, file.has(key));
}

// When the search ends; transformers writes false, true or "never".
MarianRules::End search_end(const JsonObject& file) {
  const std::string key = "early_stopping";
  const nlohmann::json* value = file.find(key);
  if (value && value->is_string()) {
    if (file.text(key) != "never")
      file.fail(key, words("expected true, false or \"never\", not \"{}\"", file.text(key)));
    return MarianRules::End::never_better;
  }
  return file.flag(key, false) ? MarianRules::End::full : MarianRules::End::no_better;
}

// Tokens that may not be generated, in our ids; our padding, which they lack, never is.
void ban(MarianRules& rules, const JsonObject& file, const MarianVocabulary& target) {
  const std::string key = "bad_words_ids";
  rules.never = {pad_id};
  const nlohmann::json* lists = file.find(key);
  if (!lists) return;
  const int most = target.size() - 2;
  const auto fail = [&] {
    file.fail(key, words("expected lists of token ids from 0 to {}", most));
  };
  if (!lists->is_array()) fail();
  for (const nlohmann::json& list : *lists) {
    if (!list.is_array() || list.empty()) fail();
    std::vector<int> tokens;
    for (const nlohmann::json& id : list) {
      if (!id.is_number_unsigned() || id.get<std::uint64_t>() > static_cast<unsigned>(most)) fail();
      tokens.push_back(target.own(id.get<int>()));
    }
    if (tokens.size() > 1)
      rules.never_after.push_back(tokens);
    else if (tokens[0] != eos_id)  // <eos> may always end a translation
      rules.never.insert(tokens[0]);
  }
}

// Whether <bos> and `before` end in `sequence` without its last token.
bool ends_in(const std::vector<int>& before, const std::vector<int>& sequence) {
  std::vector<int> all = {bos_id};
  all.insert(all.end(), before.begin(), before.end());
  const std::size_t length = sequence.size() - 1;
  return length <= all.size() && std::equal(sequence.begin(), sequence.end() - 1,
                                            all.end() - static_cast<std::ptrdiff_t>(length));
}

// Renormalises: log p becomes log p - log(sum of p over the allowed tokens).
template <class May>
void renormalize(const Tensor& log_p, NextTokens& tops, const May& may) {
  const Values values = log_p.values();
  const auto width = static_cast<std::size_t>(log_p.size(-1));
  for (std::size_t row = 0; row < tops.size(); ++row) {
    double sum = 0;
    for (std::size_t token = 0; token < width; ++token)
      if (may(static_cast<int>(row), static_cast<int>(token)))
        sum += portable::exp(double(values.begin()[row * width + token]));
    for (Placed& top : tops[row]) top.value -= static_cast<float>(portable::log(sum));
  }
}

}  // namespace

bool MarianRules::allows(const std::vector<int>& before, int token) const {
  if (never.contains(token)) return false;
  return std::none_of(never_after.begin(), never_after.end(), [&](const auto& sequence) {
    return sequence.back() == token && ends_in(before, sequence);
  });
}

NextTokens MarianRules::next(const Tensor& log_p, const std::vector<Prefix>& prefixes,
                             const SearchOptions& options) const {
  const auto length = static_cast<int>(prefixes[0].tokens.size()) + 1;
  if (forced_end && options.max_length > 0 && length >= options.max_length)
    return NextTokens(prefixes.size(), {Placed{0, eos_id}});
  const auto may = [&](int row, int token) {
    return allows(prefixes[static_cast<std::size_t>(row)].tokens, token);
  };
  NextTokens tops =
      likeliest(log_p, 2 * options.beam, static_cast<int>(never.size() + never_after.size()), may);
  if (renormalized) renormalize(log_p, tops, may);
  return tops;
}

bool MarianRules::enough(const std::vector<Hypothesis>& complete, const Prefix& best, int limit,
                         const SearchOptions& options) const {
  if (end == End::full) return true;
  std::vector<double> scores;
  for (const Hypothesis& found : complete) scores.push_back(found.score);
  const auto worst = scores.begin() + options.beam - 1;  // of the best `beam`
  std::nth_element(scores.begin(), worst, scores.end(), std::greater<>());
  const bool later = end == End::never_better && options.length_penalty > 0;
  const int length = later ? limit : static_cast<int>(best.tokens.size());
  return score(best.log_probability, length, options) <= *worst;
}

MarianSearch marian_search(const std::string& directory, const MarianVocabulary& target) {
  const std::string own = directory + "/generation_config.json";
  const JsonObject file =
      JsonObject::read(exists(own) ? own : directory + "/config.json", JsonObject::settings);
  refuse_others(file);
  constexpr int start = 1, unsaid = 20;  // max_length includes the initial <pad>
  MarianSearch found;
  auto& [search, rules] = found;
  search.beam = file.integer("num_beams", 1, 1);
  if (search.beam > widest_beam)
    file.fail("num_beams", words("must be at most {}, not {}", widest_beam, search.beam));
  search.length_penalty = file.number("length_penalty", 1.0);
  search.max_length = file.integer("max_length", start + 1, unsaid) - start;
  search.max_length = file.integer("max_new_tokens", 1, search.max_length);
  const std::vector<int> forced = file.integers("forced_eos_token_id");
  rules.forced_end = !forced.empty();
  if (forced.size() > 1 ||
      (rules.forced_end && (forced[0] > target.size() - 2 || target.own(forced[0]) != eos_id)))
    file.fail("forced_eos_token_id", "must be </s>");
  rules.end = search_end(file);
  ban(rules, file, target);
  rules.renormalized = file.flag("renormalize_logits", false);
  return found;
}

}  // namespace xf
