// Lesson 7, the end of section 7: how a head came to look where it does.

#include <algorithm>

#include "07_transformer/experiments/lesson.hpp"
#include "07_transformer/program/evaluation.hpp"
#include "07_transformer/program/maps.hpp"
#include "io/safetensors.hpp"
#include "speech/show.hpp"
#include "tensor/portable_math.hpp"
#include "train/kept_weights.hpp"

namespace xf::lesson_07 {

namespace {

const std::vector<std::string> source{"they",    "watched", "the",    "match", "in",
                                      "Beijing", "last",    "Sunday", "<eos>"};
const std::vector<std::string> target{"<bos>", "他们", "上周日", "在", "北京", "看", "了", "比赛"};
// For each row, the positions of the English words to translate next: at <bos> that of "they".
const std::vector<std::vector<std::size_t>> due{{0}, {6, 7}, {4}, {5}, {1}, {1}, {2, 3}, {8}};

constexpr int shown[] = {0, 100, 200, 300, 600, 1000};  // updates

// A cross-attention head at one point during training.
struct Head {
  std::vector<float> weights;  // T x S
  double on_due = 0;           // a row's total weight on the words due next, averaged over rows
};

struct Moment {
  int update;
  double loss;              // per token of the held-out sentences, natural logarithm
  std::vector<Head> heads;  // layer by layer
};

std::vector<Head> heads_of(const Translator& translator) {
  const std::vector<Example> pair =
      encode_pairs(translator, {"they watched the match in Beijing last Sunday"},
                   {"他们 上周日 在 北京 看 了 比赛"});
  const Batch batch = make_batch(pair, all_of(pair));
  Recorder recorder({"weights"});
  translator.model(batch.source, batch.target_in);
  std::vector<Head> heads;
  const std::size_t wide = source.size(), cells = target.size() * wide;
  for (const Tensor& layer : recorder.all("decoder.layers.*.cross_attention.weights")) {
    const std::vector<float> values = layer.values();  // (1, H, T, S)
    for (auto begin = values.begin(); begin != values.end(); begin += std::ptrdiff_t(cells)) {
      Head head{.weights = {begin, begin + std::ptrdiff_t(cells)}};
      for (std::size_t row = 0; row < due.size(); ++row)
        for (const std::size_t word : due[row])
          head.on_due += head.weights[row * wide + word] / double(due.size());
      heads.push_back(std::move(head));
    }
  }
  return heads;
}

double loss_of(const Translator& translator, const ParallelText& text) {
  const std::vector<Example> pairs = encode_pairs(translator, text.source, text.target);
  return portable::log(perplexity(score_pairs(translator, pairs), pairs));
}

std::vector<Moment> moments_of(const std::string& directory, const ParallelText& held_out) {
  std::vector<Moment> moments;
  for (const KeptWeights& kept : kept_weights(directory)) {
    if (std::ranges::find(shown, kept.update) == std::end(shown)) continue;
    Translator translator = load_description(directory, kept.path);
    load_parameters(kept.path, parameters(translator.model));
    moments.push_back({kept.update, loss_of(translator, held_out), heads_of(translator)});
  }
  return moments;
}

}  // namespace

void over_checkpoints(const ParallelText& held_out, const CommonOptions& options) {
  const std::vector<Moment> moments = moments_of(options.out + "/model", held_out);
  const auto share = [](const Head& head) { return head.on_due; };
  const std::vector<Head>& last = moments.back().heads;
  const auto chosen = std::size_t(std::ranges::max_element(last, {}, share) - last.begin());
  const std::size_t per_layer = last.size() / 2;
  say("How did a head learn this? Layer {}, head {} is the head that in the end puts the most "
      "weight on the English words whose translation is due next. The table follows it through the "
      "weights saved during training, with the loss on the held-out sentences:",
      chosen / per_layer, chosen % per_layer);
  Table table({"update", "loss", "on the words due", "the most of any head"});
  std::vector<Heatmap> maps;
  std::vector<double> most;
  for (const Moment& moment : moments) {
    const Head& head = moment.heads[chosen];
    most.push_back(std::ranges::max_element(moment.heads, {}, share)->on_due);
    table.row({moment.update, fixed(moment.loss, 2), fixed(head.on_due, 2), fixed(most.back(), 2)});
    maps.push_back(weights_map(words("update {}, loss {}", moment.update, fixed(moment.loss, 2)),
                               target, source, head.weights));
  }
  table.print();
  write_picture(
      options, "checkpoints.svg",
      heatmap_grid_svg(
          words("Cross attention, layer {}, head {}: its weight on the words due "
                "grows from {} to {}",
                chosen / per_layer, chosen % per_layer,
                fixed(moments.front().heads[chosen].on_due, 2), fixed(last[chosen].on_due, 2)),
          maps, 3));
  claim(moments[1].loss < 0.6 * moments[0].loss && most[1] < 0.6 * most.back(),
        "in the first 100 updates the loss falls by over two fifths, before the heads find the "
        "words");
  claim(moments[3].loss < 0.3 * moments[1].loss && most[3] > 0.45,
        "in the next 200 updates the heads find the words, and the loss falls with them");
  finding("In training, one head's weight on the words due next grows from {} to {}",
          fixed(moments.front().heads[chosen].on_due, 2), fixed(last[chosen].on_due, 2));
}

}  // namespace xf::lesson_07
