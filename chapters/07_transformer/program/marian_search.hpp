#pragma once

#include <set>

#include "07_transformer/program/marian.hpp"
#include "07_transformer/search_rules.hpp"

namespace xf {

// The rules of a search in transformers, under the names of generation_config.json.
struct MarianRules : SearchRules {
  // Done as soon as `beam` translations are complete; or when no prefix would beat the worst of
  // them by ending now; or when none could even by ending as late as possible.
  enum class End { full, no_better, never_better };

  End end = End::full;        // early_stopping: true, false, "never"
  bool forced_end = false;    // forced_eos_token_id: the last of max_length tokens is <eos>
  bool renormalized = false;  // renormalize_logits: log p among the allowed tokens
  // bad_words_ids: the last token of a list never follows the others.
  std::set<int> never = {};  // those of one token
  std::vector<std::vector<int>> never_after = {};

  NextTokens next(const Tensor& log_p, const std::vector<Prefix>& prefixes,
                  const SearchOptions& options) const override;
  // At max_length, everything still in the beam counts as complete.
  bool ends(int token, bool last) const override { return last || SearchRules::ends(token, last); }
  bool enough(const std::vector<Hypothesis>& complete, const Prefix& best, int limit,
              const SearchOptions& options) const override;

 private:
  bool allows(const std::vector<int>& before, int token) const;
};

// The directory's search settings: generation_config.json, or config.json if there is none.
struct MarianSearch {
  SearchOptions options = {};
  MarianRules rules = {};
};
MarianSearch marian_search(const std::string& directory, const MarianVocabulary& target);

}  // namespace xf
