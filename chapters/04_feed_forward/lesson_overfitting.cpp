// Lesson 4, section 10: dropout against overfitting.

#include "00_foundations/lesson_names.hpp"
#include "01_embedding/token_embedding.hpp"
#include "04_feed_forward/feed_forward.hpp"
#include "04_feed_forward/lesson.hpp"
#include "nn/parameters.hpp"
#include "ops/cross_entropy/cross_entropy.hpp"
#include "ops/shape/shape_ops.hpp"
#include "speech/show.hpp"
#include "train/adam.hpp"

namespace xf::lesson_04 {

namespace {

// `edge` stands in for the letters before a name and for what follows it.
constexpr int edge = 0, letters = 27, context = 3, features = 8, width = 256, epochs = 30;

// Three letters of a name, and the letter that comes after them.
struct Letters {
  Ids before, next;  // (N, 3), (N)

  // Every fifth name, or all the others.
  explicit Letters(bool held_out) {
    std::vector<std::int32_t> contexts, targets;
    for (std::size_t i = 0; i < lesson_00::names.size(); ++i) {
      if ((i % 5 == 4) != held_out) continue;
      std::vector<std::int32_t> ids(context, edge);
      for (const char letter : lesson_00::names[i]) ids.push_back(letter - 'a' + 1);
      ids.push_back(edge);
      for (std::size_t t = context; t < ids.size(); ++t) {
        contexts.insert(contexts.end(), ids.begin() + std::ptrdiff_t(t) - context,
                        ids.begin() + std::ptrdiff_t(t));
        targets.push_back(ids[t]);
      }
    }
    const int count = static_cast<int>(targets.size());
    before = Ids({count, context}, contexts);
    next = Ids({count}, targets);
  }
};

// Embeds three letters, passes them through this chapter's layer, and scores every next letter.
struct ThreeLetters {
  TokenEmbedding table;
  FeedForward layer;
  Linear output;

  ThreeLetters(float dropout, Random& random)
      : table(letters, features, random),
        layer(context * features, width, Activation::relu, dropout, random),
        output(context * features, letters, random) {}

  Tensor loss(const Letters& data) const {
    const Tensor x = reshape(table(data.before), {data.next.size(0), context * features});
    return cross_entropy_in_place(output(layer(x)), data.next);
  }
  template <class Visitor>
  void visit(Visitor&& v) {
    v("table", table);
    v("layer", layer);
    v("output", output);
  }
};

struct Losses {
  double training, held_out;  // after all epochs, at inference
  double lowest;              // held out
  int at;                     // the epoch of that minimum
};
Losses trained(float p, std::uint64_t seed) {
  Random random(seed, 12);
  ThreeLetters model(p, random);
  const Letters seen(false), unseen(true);
  Adam adam(parameters(model));
  Losses losses = {0, 0, 1e9, 0};
  for (int epoch = 1; epoch <= epochs; ++epoch) {
    for (int update = 0; update < 4; ++update) {
      const Training training(mix(seed + std::uint64_t(4 * epoch + update)));
      Tape tape;
      Gradients gradients = tape.backward(model.loss(seen));
      adam.step(gradients, 3e-3);
    }
    losses.held_out = model.loss(unseen).item();
    if (losses.held_out < losses.lowest) losses.lowest = losses.held_out, losses.at = epoch;
  }
  losses.training = model.loss(seen).item();
  return losses;
}

}  // namespace

void dropout_against_overfitting(std::uint64_t seed) {
  section("Does dropout help against overfitting?");
  say("These are the names of lesson 0 again, with every fifth held out. Three letters, embedded "
      "with {} features each, go through this layer with {} hidden units, and a linear map scores "
      "the letter that follows. There are {} updates with all pairs and with dropout on the hidden "
      "values. The losses at inference:",
      features, width, 4 * epochs);
  Table table({"p", "training loss", "held-out: lowest", "at update", "at the end"});
  std::vector<Losses> all;
  for (const float p : {0.0f, 0.2f, 0.5f, 0.8f}) {
    const Losses found = trained(p, seed);
    all.push_back(found);
    table.row({fixed(p, 1), fixed(found.training, 3), fixed(found.lowest, 3),
               std::to_string(4 * found.at), fixed(found.held_out, 3)});
  }
  table.print();
  const Losses &none = all.front(), &most = all.back();
  say("Without dropout, the layer learns the names by heart: the training loss falls furthest, and "
      "the held-out loss turns early and rises. The more is dropped, the later it turns, and the "
      "less it rises. With 0.8 even its lowest point is lower than without dropout; the price is a "
      "higher training loss and more updates.");
  claim(none.held_out > none.lowest + 0.3, "without dropout the layer overfits");
  claim(most.held_out < none.lowest + 0.2, "with much dropout it hardly does");
  claim(most.training > none.training, "dropout costs training loss");
  finding("Held-out loss after {} updates: {} without dropout, {} with 0.8 (lowest {} and {})",
          4 * epochs, fixed(none.held_out, 2), fixed(most.held_out, 2), fixed(none.lowest, 2),
          fixed(most.lowest, 2));
}

}  // namespace xf::lesson_04
