#pragma once

#include <bitset>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace xf {

class JsonObject;

// A token that may occur literally in a text, such as <|endoftext|>.
struct AddedToken {
  std::string text = {};
  int id = -1;                                   // -1: no file gives it a number
  bool takes_left = false, takes_right = false;  // absorbs the adjacent spaces
  bool single_word = false;                      // not within a word
  bool special = false;                          // omitted from decoded text
  bool normalized = true;                        // matched after normalization of the text
  std::string place = {};                        // file and key, for error messages

  // Reads all but the id from its entry in tokenizer.json or tokenizer_config.json. `known`: it is
  // special anyway, because the entry is under the name of a special token.
  static AddedToken read(const JsonObject& entry, const std::string& place, bool known = false);
};

// The tokens in the files beside a tokenizer: the added_tokens_decoder of tokenizer_config.json,
// added_tokens.json, and the special tokens that tokenizer_config.json and special_tokens_map.json
// name (bos_token, additional_special_tokens and the like), without duplicates. Throws UserError
// naming file and key for an invalid one, and when two files give a token different ids.
std::vector<AddedToken> read_tokens_beside(const std::string& directory);

// The added tokens of a tokenizer, and the search for them in a text.
class AddedTokens {
 public:
  // The last of several tokens with the same text counts. Throws UserError for an id of
  // TokenTable::max_ids or more.
  void add(AddedToken token);
  // The token with this text, or null.
  const AddedToken* find(std::string_view text) const;
  // The last token with this id, or null.
  const AddedToken* find(int id) const;
  // The largest id, or -1.
  int last() const { return last_; }
  // `normalize` is applied to the tokens that are searched for in normalized text.
  void finish(const std::function<std::string(std::string_view)>& normalize);

  // Finds the tokens of one kind in a text, always the first one, and the longest of several at one
  // position. Calls plain(part, whether it begins the text) and token(id) in the order of the text.
  using Plain = std::function<void(std::string_view, bool)>;
  using Token = std::function<void(int)>;
  void along(std::string_view text, bool normalized, const Plain& plain, const Token& token) const;

 private:
  // In sorted order, so that texts with a common prefix are adjacent.
  struct Sought {
    std::string text;
    std::size_t token;  // its index in tokens_
  };
  struct Kind {
    std::vector<Sought> all = {};
    std::bitset<256> first_bytes = {};
    void add(const std::string& text, std::size_t token);
  };
  struct Match {
    std::size_t begin, end, token;
  };
  static Match first_match(const Kind& kind, std::string_view text, std::size_t from);

  std::vector<AddedToken> tokens_;
  std::map<std::string, std::size_t, std::less<>> by_text_;  // places in tokens_
  std::unordered_map<int, std::size_t> by_id_;
  Kind raw_, normalized_;
  int last_ = -1;
};

}  // namespace xf
