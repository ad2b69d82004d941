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

// How a text is normalized before it is split: the `normalizer` of tokenizer.json. NFC (normal form
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
  // As BERT's: every space becomes a blank and invisible characters are removed; blanks around each
  // Chinese character; no accents; lower case. (The tables of `tokenizers` are of Unicode 7 and
  // lack newer accents and punctuation.)
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
  // Adds what the object asks for. Throws UserError naming the key for what is not known.
  void read(const JsonObject& part);
  // As ByteLevel: by a rule, optionally with a blank before the text.
  void add_byte_level(const CutRule& rule, bool space_first);
  // As Digits: each digit is a piece.
  void add_digits();
  // Do the pieces' bytes become characters (ByteMerges::written)?
  bool byte_level() const { return byte_level_; }

  // Calls take(piece) along the text; `first` says whether it stands at the very beginning.
  using Take = std::function<void(std::string_view)>;
  void operator()(std::string_view text, bool first, const Take& take) const;

 private:
  // What happens to a match: it is a piece, is removed, or joins a neighbour or another match.
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
    bool invert = false;  // matches and the text between them are exchanged
  };
  using Step = std::variant<Prefix, Replace, Cut, CutRule>;

  static std::vector<std::string_view> pieces(const Cut& cut, std::string_view text);
  static Behavior behavior(const JsonObject& part, const std::string& unsaid);
  void read_metaspace(const JsonObject& part);
  void read_split(const JsonObject& part);
  struct Run {
    const Take& take;
    std::size_t left;  // the calls still allowed
  };
  void run(std::size_t step, std::string_view text, bool first, Run& all) const;

  std::vector<Step> steps_;
  bool byte_level_ = false;
};

// The pattern of a part of a tokenizer.json: {"String": "a"} or {"Regex": "a+"}.
TextPattern read_pattern(const JsonObject& part);
// The objects of a list, each with its place.
std::vector<JsonObject> objects_of(const JsonObject& object, const std::string& key);

}  // namespace xf
