// Lesson 5, section 10: a word whose translation depends on the other words.

#include <algorithm>

#include "05_encoder/lesson_tagger.hpp"
#include "ops/cross_entropy/cross_entropy.hpp"
#include "speech/show.hpp"
#include "tensor/portable_math.hpp"
#include "train/adam.hpp"

namespace xf::lesson_05 {
namespace {

constexpr int length = 7, updates = 400, sentences = 200;
constexpr std::int32_t year = 7, beijing = 8, winter = 9, games = 10;
const std::vector<std::int32_t> others = {4, 5, 6};  // I, like, the

// The three translations of Games: 游戏 by itself, 比赛 with Beijing, 冬奥会 with all three.
struct Meaning {
  std::string name;
  std::vector<std::int32_t> clues;
  std::int32_t id;  // in the output
};
const std::vector<Meaning> meanings = {
    {"游戏", {}, 10}, {"比赛", {beijing}, 3}, {"冬奥会", {beijing, winter, year}, 2}};

struct Example {
  Ids sentence, translated;                   // (B, S) each
  std::vector<int> game;                      // the position of Games, per sentence
  std::vector<std::vector<int>> clues_stand;  // and its clues
};
// Sentences with one of the meanings first ... last: Games and its clues are at random positions
// among neutral words.
Example random_example(int batch, int first, int last, Random& random) {
  Example example{Ids::full({batch, length}, 0), Ids::full({batch, length}, 0), {}, {}};
  for (int b = 0; b < batch; ++b) {
    const Meaning& meaning = meanings[std::size_t(first + random.below(last - first + 1))];
    std::vector<int> places(length);
    for (int t = 0; t < length; ++t) {
      places[std::size_t(t)] = t;
      example.sentence[b * length + t] = others[std::size_t(random.below(3))];
    }
    random.shuffle(places.begin(), places.end());
    example.game.push_back(places[0]);
    example.clues_stand.emplace_back();
    example.sentence[b * length + places[0]] = games;
    for (std::size_t i = 0; i < meaning.clues.size(); ++i) {
      example.sentence[b * length + places[i + 1]] = meaning.clues[i];
      example.clues_stand.back().push_back(places[i + 1]);
    }
    for (int t = 0; t < length; ++t)
      example.translated[b * length + t] = example.sentence[b * length + t];
    example.translated[b * length + places[0]] = meaning.id;
  }
  return example;
}

// The same sentences with only the first `kept` clues of each; `the` replaces the others.
Example with_clues(Example example, std::size_t kept) {
  const Ids& all = example.sentence;
  example.sentence = Ids(all.shape(), std::vector<std::int32_t>(all.begin(), all.end()));
  for (std::size_t b = 0; b < example.game.size(); ++b) {
    std::vector<int>& stand = example.clues_stand[b];
    for (std::size_t i = kept; i < stand.size(); ++i)
      example.sentence[static_cast<int>(b) * length + stand[i]] = others[2];
    stand.resize(std::min(stand.size(), kept));
  }
  return example;
}

// The mean probability of each meaning at the position of Games.
std::vector<double> probabilities(const Tagger& model, const Example& example) {
  const Tensor log_p = log_softmax(model(example.sentence));  // (B, S, V)
  const Values values = log_p.values();
  std::vector<double> mean(meanings.size());
  for (std::size_t b = 0; b < example.game.size(); ++b)
    for (std::size_t m = 0; m < mean.size(); ++m)
      mean[m] += portable::exp(double(
                     values[(static_cast<int>(b) * length + example.game[b]) * log_p.size(2) +
                            meanings[m].id])) /
                 sentences;
  return mean;
}

// The mean total weight from Games to its clues, for the head where it is largest.
double on_the_clues(const Tagger& model, const Example& example) {
  const Values weights = weights_of(model, example.sentence).values();  // (B, H, S, S)
  double best = 0;
  for (int head = 0; head < Tagger::heads; ++head) {
    double sum = 0;
    for (std::size_t b = 0; b < example.game.size(); ++b)
      for (const int clue : example.clues_stand[b])
        sum += weights[((static_cast<int>(b) * Tagger::heads + head) * length + example.game[b]) *
                           length +
                       clue];
    best = std::max(best, sum / sentences);
  }
  return best;
}

}  // namespace

void ambiguous_word(std::uint64_t seed) {
  section("How does a word get its meaning from the others?");
  say("Alone, Games means play, 游戏. With Beijing it means a contest, 比赛, and with Winter and "
      "2022 as well, the Winter Olympics, 冬奥会. These words may be anywhere in sentences of 7 "
      "words; the other words (I, like, the) say nothing about the meaning. The encoder of "
      "section 8 translates every word. After {} updates it is tested on 200 new sentences, "
      "first without the three words, then with one, then with all:",
      updates);
  Random random(seed, 10);
  Tagger model(random);
  const Example unseen = random_example(sentences, 2, 2, random);
  Adam adam(parameters(model));
  for (int update = 0; update < updates; ++update) {
    const Example example = random_example(32, 0, 2, random);
    Tape tape;
    Gradients gradients =
        tape.backward(cross_entropy_in_place(model(example.sentence), example.translated));
    adam.step(gradients, 3e-3);
  }

  Table table({"with Games", "p(游戏)", "p(比赛)", "p(冬奥会)", "weight on clues", "even"});
  std::vector<double> right;
  double weight = 0;
  for (const std::size_t kept : {0, 1, 3}) {
    const Example step = with_clues(unseen, kept);
    const std::vector<double> p = probabilities(model, step);
    weight = on_the_clues(model, step);
    right.push_back(p[right.size()]);
    const std::string names = kept == 1 ? "Beijing" : "Beijing, Winter, 2022";
    table.row({kept == 0 ? Phrase("no clue") : Phrase(names), fixed(p[0]), fixed(p[1]), fixed(p[2]),
               kept == 0 ? "" : fixed(weight, 2),
               kept == 0 ? "" : fixed(double(kept) / length, 2)});
  }
  table.print();
  say("The weight is the mean over all sentences, in the head that gives the clues the most. "
      "\"Even\" is the weight that they would get if all words got the same. The sentences are the "
      "same in the three rows, and only the words around Games change what it means.");
  claim(*std::min_element(right.begin(), right.end()) > 0.9,
        "the words around Games decide its translation");
  claim(weight > 3.0 / length, "at Games, a head reads the words that give its meaning");
  finding("Games: alone 游戏 ({}), with Beijing 比赛 ({}), with Winter and 2022 冬奥会 ({})",
          fixed(right[0], 2), fixed(right[1], 2), fixed(right[2], 2));
}

}  // namespace xf::lesson_05
