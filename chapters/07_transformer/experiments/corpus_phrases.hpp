#pragma once

#include <initializer_list>
#include <iterator>
#include <string>
#include <string_view>

#include "07_transformer/experiments/corpus_lexicon.hpp"
#include "tensor/random.hpp"

// Noun phrases and subjects of the corpus (corpus.hpp), in both languages at once.
namespace xf::grammar {

// The words joined by single spaces; empty ones are skipped.
inline std::string join(std::initializer_list<std::string_view> words) {
  std::string line;
  for (std::string_view word : words) {
    if (!word.empty() && !line.empty()) line += ' ';
    line += word;
  }
  return line;
}

template <class Table>
const auto& pick(Random& random, const Table& table) {
  return std::data(table)[random.below(static_cast<int>(std::size(table)))];
}
inline const Noun& pick_noun(Random& random, unsigned kinds) {
  const Noun* noun = &pick(random, nouns);
  while (!(noun->kind & kinds)) noun = &pick(random, nouns);
  return *noun;
}
inline bool chance(Random& random, double p) { return random.uniform() < p; }

// 我 的; 我 妈妈 的: before a family word, 我 takes no 的 of its own.
inline Phrase owner(Random& random) {
  if (chance(random, 0.6)) {
    const Phrase& who = pick(random, owners);
    return {who.en, who.zh + " 的"};
  }
  const Phrase& who = owners[random.below(4)];
  const Phrase& relative = pick(random, kin);
  return {who.en + " " + relative.en + "'s", who.zh + " " + relative.zh + " 的"};
}

enum Determiner : unsigned { a = 1, number = 2, owns = 4, this_that = 8, the = 16, none = 32 };

inline Determiner pick_determiner(Random& random, const Noun& noun, unsigned allowed) {
  if (noun.kind & (plant | event | film | drink)) allowed &= ~owns;
  if (!(noun.kind & event)) allowed &= ~the;
  for (;;)
    if (const unsigned drawn = 1u << random.below(6); drawn & allowed) return Determiner(drawn);
}

// A noun with its determiner (one of the bits in `allowed`) and perhaps an adjective. `asked`: in a
// question or a negation "a book" is 书, not 一 本 书, and tea is not counted in cups.
inline Phrase noun_phrase(Random& random, const Noun& noun, unsigned allowed, bool asked = false) {
  if (asked && !noun.mass.empty()) allowed = none;
  const Determiner determiner = pick_determiner(random, noun, allowed);
  const Adjective& drawn = pick(random, adjectives);
  const bool fits = (drawn.kinds & noun.kind) && !drawn.before_noun.empty();
  const std::string adjective = fits ? drawn.en : "";
  const std::string one = join({adjective, noun.one}), many = join({adjective, noun.many});
  const std::string zh = join({fits ? drawn.before_noun : "", noun.zh});
  const bool second = chance(random, 0.5);
  const bool plural = noun.mass.empty() && chance(random, 0.4);
  switch (determiner) {
    case a: {
      const bool vowel = std::string_view("aeiou").find(one[0]) != std::string_view::npos;
      return {join({vowel ? "an" : "a", one}), asked ? zh : join({"一", noun.measure, zh})};
    }
    case number: {
      const Phrase& n = pick(random, numbers);
      return {join({n.en, many}), join({n.zh, noun.measure, zh}), true};
    }
    case owns: {
      const Phrase whose = owner(random);
      return {join({whose.en, plural ? many : one}), join({whose.zh, zh}), plural};
    }
    case this_that: {
      const std::string that = second ? "那" : "这";
      if (plural) return {join({second ? "those" : "these", many}), join({that + "些", zh}), true};
      return {join({second ? "that" : "this", one}), join({that, noun.measure, zh})};
    }
    case the:
      return {join({"the", one}), zh};
    case none:
      break;
  }
  return {noun.mass.empty() ? many : noun.mass, zh, noun.mass.empty()};
}

inline Subject pick_subject(Random& random) {
  switch (random.below(10)) {
    case 0: {
      const int first = random.below(4), second = (first + 1 + random.below(3)) % 4;
      return {join({names[first].en, "and", names[second].en}),
              join({names[first].zh, "和", names[second].zh}), Person::they};
    }
    case 1: {
      const Phrase& name = pick(random, names);
      return {name.en, name.zh, Person::he};
    }
    case 2: {
      const Phrase &who = owners[random.below(4)], &relative = pick(random, kin);
      return {join({who.en, relative.en}), join({who.zh, relative.zh}), Person::he};
    }
    case 3: {
      const Phrase &who = pick(random, owners), &other = pick(random, others);
      return {join({who.en, other.en}), join({who.zh, "的", other.zh}), Person::he};
    }
    case 4: {
      const Phrase& role = pick(random, roles);
      return {role.en, role.zh, role.plural ? Person::they : Person::he};
    }
    default:
      return pick(random, pronouns);
  }
}

}  // namespace xf::grammar
