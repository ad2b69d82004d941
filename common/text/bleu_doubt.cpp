#include "text/bleu_doubt.hpp"

#include <string_view>

#include "io/utf8.hpp"

namespace xf {

namespace {

// Kana and Han characters, which are written without spaces.
constexpr CharacterRange written_together[] = {
    {0x3040, 0x30FF}, {0x3400, 0x9FFF}, {0xF900, 0xFAFF}, {0x20000, 0x3FFFF}};

// How much of some references BLEU can count.
struct Countable {
  long sentences = 0;                // with at least four tokens
  double words = 0, characters = 0;  // words with such characters, and their total

  // A Chinese or Japanese word has one or two such characters, a clause has more.
  bool in_clauses() const { return characters > 3 * words; }
};

Countable countable(const std::vector<std::string>& references, BleuTokens tokens) {
  Countable found;
  for (const std::string& reference : references) {
    const std::vector<std::string> words = bleu_tokens(reference, {.tokens = tokens});
    found.sentences += words.size() >= 4;
    for (const std::string& word : words) {
      double characters = 0;
      for_each_character(word, [&](char32_t value, std::string_view) {
        characters += in_ranges(written_together, value);
      });
      found.words += characters > 0;
      found.characters += characters;
    }
  }
  return found;
}

}  // namespace

Phrase bleu_doubt(const std::vector<std::string>& references, BleuTokens tokens) {
  const auto all = static_cast<long>(references.size());
  const auto tells = [&](const Countable& found) {
    return 2 * found.sentences >= all && !found.in_clauses();
  };
  const Countable found = countable(references, tokens);
  if (tells(found)) return {};
  const Phrase doubt =
      found.in_clauses()
          ? words("BLEU takes a clause without spaces for one word")
          : words("{} of {} references have fewer than four tokens, but BLEU counts runs of four",
                  all - found.sentences, all);
  Phrase better = words("perplexity");
  for (const BleuTokens other : {BleuTokens::character, BleuTokens::zh})
    if (tells(countable(references, other))) better = "--bleu-tokens " + name(other);
  return words("--bleu-tokens {}: {}; {} is more informative", name(tokens), doubt, better);
}

}  // namespace xf
