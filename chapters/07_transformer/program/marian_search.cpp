#include "07_transformer/program/marian.hpp"
#include "io/files.hpp"
#include "io/json_object.hpp"

namespace xf {

namespace {

// What a search may ask for beyond ours, with the values that ask for nothing.
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

// The end of the search; transformers writes false, true or "never".
SearchEnd search_end(const JsonObject& file) {
  const std::string key = "early_stopping";
  const nlohmann::json* value = file.find(key);
  if (value && value->is_string()) {
    if (file.text(key) != "never")
      file.fail(key, "true, false or \"never\", not \"" + file.text(key) + "\"");
    return SearchEnd::never_better;
  }
  return file.flag(key, false) ? SearchEnd::full : SearchEnd::no_better;
}

// What may not be written, in our numbers; the padding that is none of theirs never is.
std::vector<std::vector<int>> banned(const JsonObject& file, const MarianVocabulary& target) {
  const std::string key = "bad_words_ids";
  std::vector<std::vector<int>> never = {{pad_id}};
  const nlohmann::json* lists = file.find(key);
  if (!lists) return never;
  const int most = target.size() - 2;
  const auto fail = [&] {
    file.fail(key, "lists of token ids from 0 to " + std::to_string(most) + " are expected");
  };
  if (!lists->is_array()) fail();
  for (const nlohmann::json& list : *lists) {
    if (!list.is_array() || list.empty()) fail();
    std::vector<int> tokens;
    for (const nlohmann::json& id : list) {
      if (!id.is_number_unsigned() || id.get<std::uint64_t>() > static_cast<unsigned>(most)) fail();
      tokens.push_back(target.own(id.get<int>()));
    }
    if (tokens != std::vector<int>{eos_id}) never.push_back(tokens);  // which may always end it
  }
  return never;
}

}  // namespace

SearchOptions marian_search(const std::string& directory, const MarianVocabulary& target) {
  const std::string own = directory + "/generation_config.json";
  const JsonObject file =
      JsonObject::read(exists(own) ? own : directory + "/config.json", JsonObject::settings);
  refuse_others(file);
  constexpr int start = 1, unsaid = 20;  // max_length counts the <pad> that it begins with
  SearchOptions search;
  search.beam = file.integer("num_beams", 1, 1);
  if (search.beam > widest_beam)
    file.fail("num_beams",
              "at most " + std::to_string(widest_beam) + ", not " + std::to_string(search.beam));
  search.length_penalty = file.number("length_penalty", 1.0);
  search.max_length = file.integer("max_length", start + 1, unsaid) - start;
  search.max_length = file.integer("max_new_tokens", 1, search.max_length);
  const std::vector<int> forced = file.integers("forced_eos_token_id");
  search.forced_end = !forced.empty();
  if (forced.size() > 1 ||
      (search.forced_end && (forced[0] > target.size() - 2 || target.own(forced[0]) != eos_id)))
    file.fail("forced_eos_token_id", "must be </s>");
  search.end = search_end(file);
  search.never = banned(file, target);
  search.renormalized = file.flag("renormalize_logits", false);
  return search;
}

}  // namespace xf
