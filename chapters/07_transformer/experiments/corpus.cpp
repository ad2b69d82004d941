#include "07_transformer/experiments/corpus.hpp"

#include <algorithm>
#include <stdexcept>
#include <unordered_set>

#include "07_transformer/experiments/corpus_clauses.hpp"

namespace xf {
namespace {

using namespace grammar;

// A subject for this mood; "who" asks for the subject, and nobody asks "did I".
Subject subject_for(Random& random, Mood mood) {
  if (mood == Mood::who) return {"who", "谁", Person::he};
  Subject subject = pick_subject(random);
  while (mood > Mood::negative && subject.person == Person::i) subject = pick_subject(random);
  return subject;
}

Phrase time_for(Random& random, Tense tense) {
  if (tense == Tense::now) return {"now", "现在"};
  if (tense == Tense::habit) return pick(random, habit_times);
  if (tense == Tense::modal) return pick(random, future_times);
  if (chance(random, 0.7)) return pick(random, past_times);
  const Phrase& n = pick(random, numbers);
  return {n.en + " days ago", n.zh + " 天 前"};
}

Phrase place_for(Random& random, const Verb& verb) {
  const Place* place = &pick(random, places);
  while (!(place->kind & verb.places)) place = &pick(random, places);
  return {place->en, place->zh};
}

// I watched the match in Beijing yesterday: 我 昨天 在 北京 看 了 比赛
Phrase action(Random& random) {
  const Mood mood = Mood(random.below(7));
  const Tense tense = mood == Mood::when ? Tense::past : Tense(random.below(4));
  const Verb& verb = pick(random, verbs);
  const Modal& modal = pick(random, modals);
  const bool likes = tense == Tense::modal && modal.zh == "爱";
  const bool habitual = tense == Tense::habit || likes;
  const bool where = mood == Mood::where, when = mood == Mood::when;
  const bool asks_past = (where || when) && tense == Tense::past;
  if ((verb.use & past_only) && tense != Tense::past) return {};
  if (habitual && !(verb.use & habit)) return {};
  if (verb.objects == 0 && (mood == Mood::what || asks_past)) return {};
  if (where && tense == Tense::now) return {};

  const bool timed =
      !likes && !when && !(habitual && mood == Mood::negative) && chance(random, 0.6);
  const bool placed = !where && !when && chance(random, 0.5);
  const bool asked = mood == Mood::negative || mood == Mood::yes_no || where;
  unsigned determiners = a | this_that | the | ((verb.use & owned) ? owns : 0u);
  if (habitual) determiners = none;
  if (asks_past) determiners = this_that | the;
  if (!habitual && !asked && !asks_past && tense != Tense::now) determiners |= number;

  Parts parts{mood, subject_for(random, mood), {}, verb.zh, {}, {}, {}};
  parts.group = verb_group(random, verb, tense, modal, parts.subject.person, timed);
  if (verb.objects && mood != Mood::what)
    parts.object = noun_phrase(random, pick_noun(random, verb.objects), determiners, asked);
  if (placed) parts.place = place_for(random, verb);
  if (timed) parts.time = time_for(random, tense);
  parts.time_first = timed && mood <= Mood::negative && chance(random, 0.25);
  return clause(parts);
}

// she does not like black cats: 她 不 爱 黑 猫;  I have three books: 我 有 三 本 书
Phrase state(Random& random) {
  const Mood mood = Mood(random.below(4));
  Parts parts{mood, subject_for(random, mood), {}, "", {}, {}, {}};
  const Person person = parts.subject.person;
  const bool asked = mood == Mood::negative || mood == Mood::yes_no;
  if (chance(random, 0.5)) {
    parts.group = with_do(person, "like", "likes", "爱", "不 爱");
    const Phrase& which = pick(random, games);
    if (chance(random, 0.4))
      parts.object = {join({"the", which.en, "Games"}), join({which.zh, "奥会"})};
    else
      parts.object =
          noun_phrase(random, pick_noun(random, print | writing | pet | plant | film | event),
                      owns | this_that | the | none);
    return clause(parts);
  }
  parts.group = with_do(person, "have", "has", "有", "没有");
  const unsigned kinds = print | clothes | tool | vehicle | paper | food | animal;
  const unsigned determiners = asked ? a : a | number;
  parts.object = noun_phrase(random, pick_noun(random, kinds), determiners, asked);
  if (!asked && chance(random, 0.4)) {
    const Phrase more = noun_phrase(random, pick_noun(random, kinds), determiners);
    parts.object = {join({parts.object.en, "and", more.en}),
                    join({parts.object.zh, "和", more.zh})};
  }
  return clause(parts);
}

// there is a cat under the table: 桌子 下面 有 一 只 猫;  my cat is under the table: 我 的 猫 在 …
Phrase location(Random& random) {
  const Side& side = pick(random, sides);
  const Phrase& landmark = pick(random, side.landmarks);
  const Noun& noun = pick_noun(random, side.kinds);
  const std::string en = join({side.en, landmark.en}), zh = join({landmark.zh, side.zh});
  const int form = random.below(7);
  const bool asked = form == 1 || form == 2;
  const Phrase thing =
      noun_phrase(random, noun, form < 3 ? (asked ? a : a | number) : owns | this_that, asked);
  const std::string is = thing.plural ? "are" : "is";
  const bool no_article = thing.en == noun.mass;
  const std::string bare = thing.en.substr(no_article ? 0 : thing.en.find(' ') + 1);
  const Phrase forms[] = {
      {join({"there", is, thing.en, en}), join({zh, "有", thing.zh})},
      {join({"there is no", bare, en}), join({zh, "没有", thing.zh})},
      {join({"is there", thing.en, en}), join({zh, "有", thing.zh, "吗"})},
      {join({thing.en, is, en}), join({thing.zh, "在", zh})},
      {join({thing.en, is, "not", en}), join({thing.zh, "不 在", zh})},
      {join({is, thing.en, en}), join({thing.zh, "在", zh, "吗"})},
      {join({"where", is, thing.en}), join({thing.zh, "在 哪里"})},
  };
  return forms[form];
}

// this book is very interesting: 这 本 书 很 有趣;  ... more interesting than: ... 比 ... 有趣
Phrase quality(Random& random) {
  const Noun& noun = pick(random, nouns);
  const Adjective& adjective = pick(random, adjectives);
  if (!(adjective.kinds & noun.kind) || adjective.zh.empty()) return {};
  const Phrase thing = noun_phrase(random, noun, owns | this_that);
  const std::string is = thing.plural ? "are" : "is";
  const Phrase forms[] = {
      {join({thing.en, is, "very", adjective.en}), join({thing.zh, "很", adjective.zh})},
      {join({thing.en, is, "not", adjective.en}), join({thing.zh, "不", adjective.zh})},
      {join({is, thing.en, adjective.en}), join({thing.zh, adjective.zh, "吗"})},
      {join({thing.en, is, "too", adjective.en}), join({thing.zh, "太", adjective.zh, "了"})},
  };
  const int form = random.below(5);
  if (form < 4) return forms[form];
  const Phrase other = noun_phrase(random, pick_noun(random, noun.kind), owns | this_that);
  return {join({thing.en, is, adjective.comparative, "than", other.en}),
          join({thing.zh, "比", other.zh, adjective.zh})};
}

// she cannot swim because she is very busy: 因为 她 很 忙 所以 她 不 能 游泳
Phrase reason(Random& random) {
  const bool negative = chance(random, 0.5);
  const Verb& verb = pick(random, verbs);
  const Noun& noun = pick_noun(random, verb.objects ? verb.objects : ~0u);
  const bool hungry = verb.objects & noun.kind & food, thirsty = verb.objects & noun.kind & drink;
  if (!negative && !hungry && !thirsty && !(verb.use & habit)) return {};
  if (verb.use & past_only) return {};
  Parts parts{
      negative ? Mood::negative : Mood::statement, pick(random, pronouns), {}, verb.zh, {}, {}, {}};
  const Modal& modal = modals[random.below(negative ? 5 : 3)];
  parts.group = verb_group(random, verb, Tense::modal, modal, parts.subject.person, false);
  const unsigned determiners = negative ? a | this_that : a | number | this_that;
  if (verb.objects) parts.object = noun_phrase(random, noun, determiners, negative);
  const Phrase main = clause(parts);
  const Phrase why = negative  ? pick(random, hindrances)
                     : hungry  ? Phrase{"hungry", "饿"}
                     : thirsty ? Phrase{"thirsty", "渴"}
                               : Phrase{"bored", "无聊"};
  const std::string is = be(parts.subject.person);
  return {join({main.en, "because", parts.subject.en, is, "very", why.en}),
          join({"因为", parts.subject.zh, "很", why.zh, "所以", main.zh})};
}

Phrase sentence(Random& random) {
  const int kind = random.below(20);
  if (kind < 12) return action(random);
  if (kind < 15) return state(random);
  if (kind < 17) return location(random);
  if (kind < 19) return quality(random);
  return reason(random);
}

bool has_good_length(const std::string& line) {
  const auto tokens = std::count(line.begin(), line.end(), ' ') + 1;
  return 4 <= tokens && tokens <= 14;
}

}  // namespace

std::vector<SentencePair> generate_corpus(int count, std::uint64_t seed) {
  if (count < 0 || count > 1000000)
    throw std::invalid_argument("generate_corpus: count must be within [0, 1000000], is " +
                                std::to_string(count));
  Random random(seed);
  std::vector<SentencePair> pairs;
  std::unordered_set<std::string> seen;
  while (static_cast<int>(pairs.size()) < count) {
    Phrase drawn = sentence(random);
    if (has_good_length(drawn.en) && has_good_length(drawn.zh) && seen.insert(drawn.en).second)
      pairs.push_back({std::move(drawn.en), std::move(drawn.zh)});
  }
  return pairs;
}

CorpusSplit split_corpus(const std::vector<SentencePair>& pairs, int held_out) {
  if (held_out < 0 || held_out > static_cast<int>(pairs.size()))
    throw std::invalid_argument("split_corpus: held_out must be within [0, " +
                                std::to_string(pairs.size()) + "], is " + std::to_string(held_out));
  CorpusSplit split;
  split.held_out.assign(pairs.begin(), pairs.begin() + held_out);
  std::unordered_set<std::string> english, chinese;
  for (const SentencePair& pair : split.held_out) {
    english.insert(pair.english);
    chinese.insert(pair.chinese);
  }
  for (auto pair = pairs.begin() + held_out; pair != pairs.end(); ++pair)
    if (!english.contains(pair->english) && !chinese.contains(pair->chinese))
      split.train.push_back(*pair);
  return split;
}

}  // namespace xf
