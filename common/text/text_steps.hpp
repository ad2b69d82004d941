#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "text/text_pattern.hpp"
#include "text/word_pieces.hpp"

namespace xf {

class JsonObject;

// What becomes of a text before it is cut: the `normalizer` of a tokenizer.json. NFC (normal form
// C), Prepend, Replace, BertNormalizer, and Sequence for several.
class Normalizer {
 public:
  // Adds what the object asks for. Throws UserError naming the key for what is not known.
  void read(const JsonObject& part);
  void add_composition();
  // As SentencePiece: ▁ stands for a space, and perhaps in front of the text.
  void add_space_mark(bool first);
  std::string operator()(std::string_view text) const;

 private:
  struct Compose {};
  struct Prepend {
    std::string text;
  };
  struct Replace {
    TextPattern pattern;
    std::string content;
  };
  // As BERT's: every space is a blank and what is not seen is gone; blanks around each Chinese
  // character; no accents; lower case. (The tables of `tokenizers` end with Unicode 7: accents and
  // punctuation that are newer are none there.)
  struct Bert {
    bool cleans, parts_chinese, drops_accents, lowers;
    std::string operator()(std::string_view text) const;
  };
  std::vector<std::variant<Compose, Prepend, Replace, Bert>> steps_;
};

// Where a text is cut before its tokens merge, so that none reaches over a cut: the `pre_tokenizer`
// of a tokenizer.json. ByteLevel, which must be the last; Split, Digits, Punctuation, Whitespace,
// WhitespaceSplit, CharDelimiterSplit and BertPreTokenizer, which look for a pattern; Metaspace;
// and Sequence, in which each cuts the pieces of the one before.
class PreTokenizer {
 public:
  // Adds what the object asks for. Throws UserError naming the key for what is not known.
  void read(const JsonObject& part);
  // As ByteLevel: by a rule, perhaps with a blank before the text.
  void add_byte_level(const CutRule& rule, bool space_first);
  // As Digits: each is a piece.
  void add_digits();
  // Do the pieces' bytes become characters (ByteMerges::written)?
  bool byte_level() const { return byte_level_; }

  // Calls take(piece) along the text; `first` says whether it stands at the very beginning.
  using Take = std::function<void(std::string_view)>;
  void operator()(std::string_view text, bool first, const Take& take) const;

 private:
  // What happens to a match: it is a piece, it is gone, or it joins a neighbour or another match.
  enum class Behavior { isolated, removed, with_previous, with_next, contiguous };
  struct Prefix {
    std::string text;  // for a piece that does not begin with it
    bool first_only;
  };
  struct Replace {
    TextPattern pattern;
    std::string content;
  };
  struct Cut {
    TextPattern pattern;
    Behavior behavior;
    bool invert = false;  // a match is what lies between the matches
  };
  using Step = std::variant<Prefix, Replace, Cut, CutRule>;

  static std::vector<std::string_view> pieces(const Cut& cut, std::string_view text);
  static Behavior behavior(const JsonObject& part, const std::string& unsaid);
  void read_metaspace(const JsonObject& part);
  void read_split(const JsonObject& part);
  struct Run {
    const Take& take;
    std::size_t left;  // calls that are still allowed
  };
  void run(std::size_t step, std::string_view text, bool first, Run& all) const;

  std::vector<Step> steps_;
  bool byte_level_ = false;
};

// The pattern of a part of a tokenizer.json: {"String": "a"} or {"Regex": "a+"}.
TextPattern read_pattern(const JsonObject& part);
// The objects of a list, each with its place in it.
std::vector<JsonObject> objects_of(const JsonObject& object, const std::string& key);

}  // namespace xf
