#pragma once

#include <string>

#include "07_transformer/experiments/corpus_phrases.hpp"

// Verb groups and the word order of a clause (corpus.hpp). Here the two languages differ: Chinese
// puts time and place before the verb and leaves a question word where its answer would be.
namespace xf::grammar {

// The verb with all that tense and negation add. English: "reads" | "does" ... "read" |
// "does not" "read". Chinese: words before the place and verb, and one after the verb.
struct VerbGroup {
  std::string finite, aux, aux_not, rest;
  std::string zh, zh_not, zh_after;
  bool holds_at = false;  // 正在 already includes the 在 of a place
};

enum class Tense { past, now, habit, modal };

inline std::string be(Person person) {
  return person == Person::i ? "am" : person == Person::he ? "is" : "are";
}

// A verb that forms negation and questions with "do": has, likes, wants to read.
inline VerbGroup with_do(Person person, const std::string& plain, const std::string& third,
                         const std::string& zh, const std::string& zh_not) {
  const bool he = person == Person::he;
  const std::string aux = he ? "does" : "do";
  return {he ? third : plain, aux, aux + " not", plain, zh, zh_not, ""};
}

inline VerbGroup verb_group(Random& random, const Verb& verb, Tense tense, const Modal& modal,
                            Person person, bool timed) {
  if (tense == Tense::past) return {verb.past, "did", "did not", verb.base, "", "没", "了"};
  if (tense == Tense::now) {
    const std::string is = be(person);
    return {is + " " + verb.ing, is, is + " not", verb.ing, "正在", "没 在", "", true};
  }
  if (tense == Tense::habit) {
    const Phrase often = timed ? Phrase{} : pick(random, frequencies);
    return with_do(person, join({often.en, verb.base}), join({often.en, verb.third}), often.zh,
                   join({"不", often.zh}));
  }
  const std::string plain = modal.plain + " " + verb.base, zh_not = "不 " + modal.zh;
  if (modal.negative.empty())
    return with_do(person, plain, modal.third + " " + verb.base, modal.zh, zh_not);
  return {plain, modal.plain, modal.negative, verb.base, modal.zh, zh_not, ""};
}

enum class Mood { statement, negative, yes_no, who, what, where, when };

// The parts of a clause, put in order for both languages by clause().
struct Parts {
  Mood mood;
  Subject subject;
  VerbGroup group;
  std::string zh_verb;
  Phrase object, place, time;
  bool time_first = false;
};

// English: subject verb object place time. Chinese: subject time place verb object.
inline Phrase clause(const Parts& p) {
  const VerbGroup& g = p.group;
  const bool negative = p.mood == Mood::negative;
  const bool asked = p.mood > Mood::who || p.mood == Mood::yes_no;
  const std::string question = p.mood == Mood::what    ? "what"
                               : p.mood == Mood::where ? "where"
                               : p.mood == Mood::when  ? "when"
                                                       : "";
  const std::string predicate = negative ? join({g.aux_not, g.rest}) : g.finite;
  const std::string core =
      asked ? join({question, g.aux, p.subject.en, g.rest}) : join({p.subject.en, predicate});
  const std::string en = join({core, p.object.en, p.place.en});

  const std::string zh_place = p.mood == Mood::where ? "哪里" : p.place.zh;
  const std::string zh_before = negative ? g.zh_not : g.zh;
  const std::string zh_time = p.mood == Mood::when ? "什么 时候" : p.time.zh;
  const std::string zh =
      join({zh_before, zh_place.empty() || g.holds_at ? "" : "在", zh_place, p.zh_verb,
            negative                                      ? ""
            : p.mood >= Mood::where && g.zh_after == "了" ? "的"
                                                          : g.zh_after,
            p.mood == Mood::what ? "什么" : p.object.zh, p.mood == Mood::yes_no ? "吗" : ""});
  if (p.time_first) return {join({p.time.en, en}), join({zh_time, p.subject.zh, zh})};
  return {join({en, p.time.en}), join({p.subject.zh, zh_time, zh})};
}

}  // namespace xf::grammar
