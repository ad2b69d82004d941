#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "text/text_pattern.hpp"
#include "text/word_pieces.hpp"

namespace xf {

class JsonObject;

// Every match of the pattern is replaced by the content.
struct Replace {
  TextPattern pattern;
  std::string content;
  std::string operator()(std::string_view text) const;
};

// How a text is normalized before it is split: the `normalizer` of tokenizer.json. NFC (normal form
// C), Prepend, Replace, BertNormalizer, and Sequence for several.
class Normalizer {
 public:
  // Adds the steps that the object describes. Throws UserError naming the key for unknown ones.
  void read(const JsonObject& part);
  void add_composition();
  // As in SentencePiece: ▁ replaces every space, and is optionally put in front of the text.
  void add_space_mark(bool first);
  std::string operator()(std::string_view text) const;

 private:
  struct Compose {};
  struct Prepend {
    std::string text;
  };
  // As in BERT: all white space becomes spaces, and invisible characters are removed; spaces around
  // each Chinese character; no accents; lower case. (The tables of `tokenizers` are from Unicode 7
  // and lack newer accents and punctuation.)
  struct Bert {
    bool cleans, parts_chinese, drops_accents, lowers;
    std::string operator()(std::string_view text) const;
  };
  std::vector<std::variant<Compose, Prepend, Replace, Bert>> steps_;
};

// Where a text is split before its tokens are merged, so that no token crosses a split: the
// `pre_tokenizer` of tokenizer.json. ByteLevel, which must be the last; Split, Digits, Punctuation,
// Whitespace, WhitespaceSplit, CharDelimiterSplit and BertPreTokenizer, which search for a pattern;
// Metaspace; and Sequence, in which each splits the pieces of the one before.
class PreTokenizer {
 public:
  // Adds the steps that the object describes. Throws UserError naming the key for unknown ones.
  void read(const JsonObject& part);
  // As in ByteLevel: splits by a rule, optionally with a space before the text.
  void add_byte_level(const CutRule& rule, bool space_first);
  // Whether ByteLevel puts a space before the text, as tokenizer_config.json may decide.
  void put_space_first(bool space);
  // As in Digits: each digit is a piece.
  void add_digits();
  // Whether the bytes of the pieces are to be written as characters (ByteMerges::written).
  bool byte_level() const { return byte_level_; }

  // Calls take(piece) for each piece; `first`: whether the text is at the very beginning.
  using Take = std::function<void(std::string_view)>;
  void operator()(std::string_view text, bool first, const Take& take) const;

 private:
  // What happens to a match: it is a piece, is removed, or joins a neighbour or another match.
  enum class Behavior { isolated, removed, with_previous, with_next, contiguous };
  struct Prefix {
    std::string text;  // put before a piece that does not begin with it
    bool first_only;
  };
  struct Cut {
    TextPattern pattern;
    Behavior behavior;
    bool invert = false;  // exchanges matches and the text between them
  };
  using Step = std::variant<Prefix, Replace, Cut, CutRule>;

  static std::vector<std::string_view> pieces(const Cut& cut, std::string_view text);
  static Behavior behavior(const JsonObject& part, const std::string& unsaid);
  void read_metaspace(const JsonObject& part);
  void read_split(const JsonObject& part);
  struct Run {
    const Take& take;
    std::size_t left;  // how many calls are still allowed
  };
  void run(std::size_t step, std::string_view text, bool first, Run& all) const;

  std::vector<Step> steps_;
  bool byte_level_ = false;
};

// The objects of a list, each with its place.
std::vector<JsonObject> objects_of(const JsonObject& object, const std::string& key);

}  // namespace xf
