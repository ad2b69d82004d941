// Lesson 7, section 8: what "Games" depends on in its sentence.

#include <algorithm>

#include "07_transformer/experiments/lesson.hpp"
#include "07_transformer/program/evaluation.hpp"
#include "io/utf8.hpp"
#include "ops/cross_entropy/cross_entropy.hpp"
#include "speech/show.hpp"
#include "tensor/portable_math.hpp"

namespace xf::lesson_07 {

namespace {

const std::vector<std::string> words = {"I", "like", "the", "2022", "Beijing", "Winter", "Games"};
constexpr std::size_t games = 6;

Batch batch_of(const Translator& translator, const std::vector<std::string>& source) {
  const auto pair = encode_pairs(translator, {joined(source, " ")}, {"我 爱 2022 北京 冬 奥会"});
  return make_batch(pair, all_of(pair));
}

// log p(奥会 | the source, 我 爱 2022 北京 冬).
double log_p_games(const Translator& translator, const Batch& batch) {
  const Tensor logits = translator.model(batch.source, batch.target_in);  // (1, T, V)
  return log_likelihood(logits, batch.target_out)[5];
}

}  // namespace

void what_games_reads(const Translator& translator) {
  section("What does \"Games\" read?");
  say("A word's meaning depends on its neighbours: in \"the 2022 Beijing Winter Games\", Games can "
      "only mean 奥会, the Olympic Games. In the encoder, the row of Games shows where each head "
      "takes its values from (words above 0.10):");
  const Batch whole = batch_of(translator, words);
  Recorder recorder({"weights"});
  const double known = log_p_games(translator, whole);
  const std::vector<Tensor> layers = recorder.all("encoder.layers.*.self_attention.weights");
  Table table({"layer, head", "2022", "Beijing", "Winter", "together", "all above 0.10"});
  double most = 0;
  for (std::size_t layer = 0; layer < layers.size(); ++layer) {
    const int keys = layers[layer].size(3);
    const std::vector<float> weights = layers[layer].values();
    for (int head = 0; head < layers[layer].size(1); ++head) {
      const float* row = weights.data() + (std::size_t(head) * std::size_t(keys) + games) * keys;
      std::string seen;
      for (std::size_t s = 0; s < std::size_t(keys); ++s)
        if (row[s] > 0.1f)
          seen += (seen.empty() ? "" : ",") + (s < words.size() ? words[s] : "<eos>") + ":" +
                  fixed(row[s], 2);
      const double together = double(row[3]) + row[4] + row[5];
      most = std::max(most, together);
      table.row({std::to_string(layer) + ", " + std::to_string(head), fixed(row[3], 2),
                 fixed(row[4], 2), fixed(row[5], 2), fixed(together, 2), seen});
    }
  }
  table.print();
  claim(most > 0.25, "in one head, Games gives the three words at least a quarter");
  say("A word that receives attention does not necessarily affect the output. To find out, replace "
      "the words by <unk>, one at a time, and see how the probability of 奥会, given the words "
      "before it, changes:");
  Table hidden({"hidden", "p(奥会)"});
  hidden.row({"nothing", fixed(portable::exp(known))});
  std::vector<double> left;
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::vector<std::string> some = words;
    some[i] = "?";  // in no vocabulary
    left.push_back(portable::exp(log_p_games(translator, batch_of(translator, some))));
    hidden.row({words[i], fixed(left.back())});
  }
  hidden.print();
  say("With most seeds, hiding Games itself does the most harm. With some, any one word can be "
      "hidden, because the three words already written, 2022 北京 冬, say the same.");
  finding(
      "In one head, Games gives 2022, Beijing and Winter {} of its weight; without Games, p(奥会) "
      "is {}",
      fixed(most, 2), fixed(left[games], 2));
}

}  // namespace xf::lesson_07
