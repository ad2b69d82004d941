// Lesson 2, sections 5 and 6: masks, which say who may attend to whom.

#include <cmath>
#include <limits>

#include "02_attention/lesson.hpp"
#include "02_attention/lesson_equation.hpp"
#include "02_attention/mask.hpp"
#include "ops/shape/shape_ops.hpp"
#include "speech/show.hpp"

namespace xf::lesson_02 {

void masks() {
  section("Who may look at whom?");
  say("A mask has a 1 for \"may attend\" and has the shape (B|1, T|1, S): an axis of size 1 "
      "applies to all. Padding is not a word, so nobody looks at it. Two sentences, the second "
      "padded:");
  const Ids ids({2, 4}, {5, 6, 7, 2, 5, 2, 0, 0});
  show("ids", ids);
  const Mask padding = padding_mask(ids, 0), causal = causal_mask(4, 4);
  show("padding_mask(ids, pad = 0)", padding.allowed());
  say("A decoder must not see what it is to predict: position t sees 0 ... t, itself included.");
  show("causal_mask(4, 4)", causal.allowed());
  say("Both at once, for a decoder that works on a batch:");
  const Mask both = combine(causal, padding);
  show("combine(causal, padding)", both.allowed());

  const Tensor scores = Tensor::zeros({2, 1, 4, 4});
  const Tensor weights = softmax(scores, {.mask = both});  // (2, 1, 4, 4)
  say("With all scores equal, the weights show the mask and nothing else:");
  show("softmax(zeros) of the second sentence, combined mask",
       slice(weights.view({2, 4, 4}), 0, 1, 1).view({4, 4}));

  say("Padding needs an id of its own. A lesson found on the web tests for id 0 but gives id 0 to "
      "a real word, so the first word of its only sentence is masked for everybody:");
  const Ids found({1, 7}, {0, 1, 2, 3, 4, 4, 4});  // I like the 2022 Beijing Winter Games
  show("padding_mask(its ids, 0)", padding_mask(found, 0).allowed(),
       {.columns = {"I", "like", "the", "2022", "Beijing", "Winter", "Games"}});
  claim(padding_mask(found, 0).allowed().values().front() == 0, "the word I is masked");
  finding("Padding mask (B, 1, S) and causal mask (1, T, T) combine to (B, T, T) by \"and\"");
}

void nothing_to_attend_to() {
  section("What if a word may look at nothing?");
  say("It happens: an empty sentence in a batch, or a causal mask over padding on the left.");
  const Tensor scores = Tensor::from({1, 4}, {0.3f, -1.2f, 2.0f, 0.5f});
  show("scores", scores);
  const xt::xtensor<float, 2> s = to_xt<2>(scores);
  const Tensor added = from_xt<2>(softmax_rows(s + -1e9f));  // every key is forbidden
  const Tensor infinite = from_xt<2>(softmax_rows(s + -std::numeric_limits<float>::infinity()));
  const Mask nothing = {Ids::full({1, 1, 4}, 0)};
  const Tensor ours = softmax(scores.view({1, 1, 1, 4}), {.mask = nothing}).view({1, 4});
  equation("exp(x - max(x)) / sum(exp(x - max(x)))");
  show("x = scores + -1e9", added);
  show("x = scores + -inf", infinite);
  show("softmax op with the mask 0 0 0 0", ours);
  claim(max_difference(added, Tensor::full({1, 4}, 0.25f)) < 1e-6, "-1e9 gives equal weights");
  claim(std::isnan(infinite.values()[0]), "-inf gives NaN");
  agree("the op and zeros", ours, Tensor::zeros({1, 4}), 0.0);
  say("In float32, -1e9 swallows the scores, so the word attends evenly to what it must not see; "
      "-inf - -inf is NaN, which spreads to every parameter in one update. Our op gives no answer: "
      "its output is 0.");
  finding(
      "Nothing to attend to: this project gives 0; adding -1e9 gives uniform weights, -inf NaN");
}

}  // namespace xf::lesson_02
