// Lesson 5, section 10: a word whose translation depends on another word.

#include <algorithm>

#include "05_encoder/lesson_tagger.hpp"
#include "ops/cross_entropy/cross_entropy.hpp"
#include "ops/reduce/reduce.hpp"
#include "speech/show.hpp"
#include "train/adam.hpp"

namespace xf::lesson_05 {
namespace {

constexpr int length = 7, updates = 200;
constexpr std::int32_t like = 5, winter = 9, games = 10;
constexpr std::int32_t sports = 10, play = 3;  // the two translations of Games
const std::vector<std::int32_t> others = {4, 6, 7, 8};

// "Games" and one of the two words that tell its meaning stand anywhere among words that do not.
struct Example {
  Ids sentence, translated;     // (B, S) each
  std::vector<int> game, clue;  // where they stand, per sentence
};
Example random_example(int batch, Random& random) {
  Example example{Ids::full({batch, length}, 0), Ids::full({batch, length}, 0), {}, {}};
  for (int b = 0; b < batch; ++b) {
    for (int t = 0; t < length; ++t)
      example.sentence[b * length + t] = others[std::size_t(random.below(4))];
    const int game = random.below(length);
    const int clue = (game + 1 + random.below(length - 1)) % length;
    const bool sporting = random.below(2) == 1;
    example.sentence[b * length + game] = games;
    example.sentence[b * length + clue] = sporting ? winter : like;
    for (int t = 0; t < length; ++t)
      example.translated[b * length + t] = example.sentence[b * length + t];
    example.translated[b * length + game] = sporting ? sports : play;
    example.game.push_back(game);
    example.clue.push_back(clue);
  }
  return example;
}

// The share of the sentences whose "Games" is translated rightly.
double accuracy(const Tagger& model, const Example& example) {
  const std::vector<int> best = argmax(model(example.sentence));
  double right = 0;
  for (std::size_t b = 0; b < example.game.size(); ++b) {
    const int row = static_cast<int>(b) * length + example.game[b];
    right += best[std::size_t(row)] == example.translated[row];
  }
  return right / static_cast<double>(example.game.size());
}

// The mean weight of "Games" on the word that tells its meaning, of the head that has the most.
double on_the_clue(const Tagger& model, const Example& example) {
  const Values weights = weights_of(model, example.sentence).values();  // (B, H, S, S)
  double best = 0;
  for (int head = 0; head < Tagger::heads; ++head) {
    double sum = 0;
    for (std::size_t b = 0; b < example.game.size(); ++b)
      sum += weights[((static_cast<int>(b) * Tagger::heads + head) * length + example.game[b]) *
                         length +
                     example.clue[b]];
    best = std::max(best, sum / static_cast<double>(example.game.size()));
  }
  return best;
}

}  // namespace

void ambiguous_word(std::uint64_t seed) {
  section("How does a word get its meaning from another one?");
  say("Games are sports or play. In sentences of 7 words, Games stands anywhere, and so does one "
      "word that tells which: Winter (sports) or like (play). The encoder of section 8 translates "
      "every word, after 200 updates:");
  Random random(seed, 10);
  Tagger model(random);
  const Example unseen = random_example(200, random);
  const double fresh_weight = on_the_clue(model, unseen), fresh = accuracy(model, unseen);
  Adam adam(parameters(model));
  for (int update = 0; update < updates; ++update) {
    const Example example = random_example(32, random);
    Tape tape;
    Gradients gradients =
        tape.backward(cross_entropy_in_place(model(example.sentence), example.translated));
    adam.step(gradients, 3e-3);
  }
  const double trained = accuracy(model, unseen), weight = on_the_clue(model, unseen);
  Example silenced = unseen;
  for (std::size_t b = 0; b < unseen.clue.size(); ++b)
    silenced.sentence[static_cast<int>(b) * length + unseen.clue[b]] = others[0];
  const double without = accuracy(model, silenced);

  Table table({"", "fresh", "trained"});
  table.row({"Games translated rightly in 200 new sentences", fixed(100 * fresh, 1) + " %",
             fixed(100 * trained, 1) + " %"});
  table.row({"the same, with I in place of the telling word", "", fixed(100 * without, 1) + " %"});
  table.row(
      {"weight of Games on the telling word, best head", fixed(fresh_weight, 2), fixed(weight, 2)});
  table.row({"(if all words were equally likely)", fixed(1.0 / length, 2), fixed(1.0 / length, 2)});
  table.print();
  claim(trained > 0.98, "Games is translated by the word that tells its meaning");
  claim(without < 0.7, "without the telling word the translation is a guess");
  claim(weight > 0.3, "a head of Games reads the telling word");
  finding(
      "Games is translated rightly in {} %, without the telling word in {} %; its weight there: {}",
      fixed(100 * trained, 1), fixed(100 * without, 1), fixed(weight, 2));
}

}  // namespace xf::lesson_05
