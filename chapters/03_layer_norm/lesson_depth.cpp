// Lesson 3, sections 5 to 7: the residual, and what the norm order does to a deep stack.

#include <algorithm>
#include <cmath>

#include "03_layer_norm/lesson.hpp"
#include "03_layer_norm/lesson_measure.hpp"
#include "ops/reduce/reduce.hpp"
#include "plot/lines.hpp"
#include "speech/show.hpp"
#include "tensor/parallel.hpp"

namespace xf::lesson_03 {
namespace {

const std::vector<Kind> kinds = {
    {Block::post, "post"}, {Block::pre, "pre"}, {Block::overwritten, "pre, x overwritten"}};

// How far the logits of a fresh stack move in one Adam step at rate 0.0003: the root mean square,
// averaged over `draws` stacks.
double moved_by_one_step(Block block, int layers, int draws, std::uint64_t seed) {
  double moved = 0;
  for (int draw = 0; draw < draws; ++draw) {
    Random random(seed, static_cast<std::uint64_t>(draw));
    BlockModel stack(vocabulary, d_model, layers, block, random);
    const Ids ids = random_ids(random);
    const Tensor before = stack(ids);
    Tape tape;
    Gradients gradients = tape.backward(cross_entropy_in_place(stack(ids), ids));
    Adam(parameters(stack)).step(gradients, 0.0003);
    const Tensor change = stack(ids) + scale(before, -1.0f);
    moved += norm_of(change) / std::sqrt(double(change.count())) / draws;
  }
  return moved;
}

}  // namespace

void keep_the_residual(Random& random) {
  section("What exactly is added?");
  say("A residual block computes a change f and adds it to its input. Pre-norm normalises the "
      "input of f and leaves x as it is. A common mistake is to write x = norm(x) first and then "
      "to add to the new x:");
  equation(
      "pre           y = x + f(norm(x))\n"
      "overwritten   y = norm(x) + f(norm(x))");
  const LayerNorm norm(4);
  const Tensor x = Tensor::from({2, 4}, {1, 2, 3, 6, 10, 20, 30, 60});
  const auto nothing = [](const Tensor& h) { return scale(h, 0.0f); };
  say("A block whose f is 0 should do nothing:");
  show("x", x);
  show("pre, f = 0", block(Block::pre, x, norm, nothing));
  show("overwritten, f = 0", block(Block::overwritten, x, norm, nothing));
  agree("pre keeps x", block(Block::pre, x, norm, nothing), x, 0.0);

  say("It should also let the gradient through. For a loss whose gradient at y is (1, 2, 3, 6) in "
      "both rows, d loss / d x is:");
  const Tensor upstream = Tensor::from({2, 4}, {1, 2, 3, 6, 1, 2, 3, 6});
  const auto gradient = [&](Block kind) {
    const Tensor input = parameter(x.clone());
    Tape tape;
    return tape.backward(weighted_sum(block(kind, input, norm, nothing), upstream)).of(input);
  };
  const Tensor lost = gradient(Block::overwritten);
  show("pre, f = 0", gradient(Block::pre));
  show("overwritten, f = 0", lost);
  claim(norm_of(lost) < 1e-3, "the gradient along x is lost");
  say("Nothing comes back: the norm removes every change of x along x itself or along (1, 1, 1, "
      "1). What is left is post-norm in disguise: a stack of overwritten blocks with a norm at its "
      "end is a stack of post-norm blocks with a norm at its beginning.");
  const Tensor start = normal({6, 4}, 1, random);
  Tensor overwritten = start, post = norm(start);
  for (int i = 0; i < 12; ++i) {
    const Linear change(4, 4, random);
    const auto f = [&](const Tensor& h) { return relu(change(h)); };
    overwritten = block(Block::overwritten, overwritten, norm, f);
    post = block(Block::post, post, norm, f);
  }
  agree("12 overwritten blocks, then a norm = a norm, then 12 post-norm blocks", norm(overwritten),
        post);
  finding("x + f(norm(x)) keeps x; overwriting x by norm(x) first turns pre-norm into post-norm");
}

void depth(const Options& options) {
  section("How does the gradient reach the lower layers?");
  const int layers = options.layers;
  say("A fresh stack has {} layers = {} residual blocks (self-attention, and relu(x W_1) W_2; D = "
      "32). The loss is the cross-entropy of random words. The norm of d loss / d W_1 in each "
      "layer, as a mean over 10 stacks, is:",
      layers, 2 * layers);
  std::vector<std::vector<double>> norms;
  std::vector<Series> lines;
  for (const Kind& kind : kinds) {
    norms.push_back(gradient_norms(kind.block, layers, 10, options.seed));
    Series line = {kind.name, {}, norms.back()};
    for (int i = 1; i <= layers; ++i) line.x.push_back(i);
    lines.push_back(line);
  }
  Table table({"layer", "post", "pre", "pre, x overwritten"});
  const auto row_of = [&](int layer) {
    std::vector<Phrase> cells = {std::to_string(layer)};
    for (const auto& line : norms) cells.push_back(fixed(line[layer - 1], 3));
    table.row(cells);
  };
  for (int layer = 1; layer < layers; layer += std::max(1, layers / 4)) row_of(layer);
  row_of(layers);
  table.print();
  write_picture(
      options, "gradient_by_depth.svg",
      line_chart_svg(
          {.title = words("The gradient of the top layer is {} with post-norm, {} with pre-norm",
                          fixed(norms[0].back(), 3), fixed(norms[1].back(), 3)),
           .x_title = "layer (1 is next to the embedding)",
           .y_title = "norm of the gradient of W_1 (log scale)",
           .series = lines,
           .log_y = true}));
  say("In post-norm, every norm is on the residual path itself, and all layers get gradients of "
      "about the same size. In pre-norm, the sum grows from layer to layer and the last norm "
      "divides by its size, so the layers at the top get less. The table gives the gradient of the "
      "top layer at several depths, and how far one full step of Adam (0.0003) moves the logits "
      "(root mean square, 3 stacks):");
  Table tops({"layers", "top layer: post", "pre", "logits move: post", "pre"});
  std::vector<double> post_tops, pre_tops, post_moves, pre_moves;
  for (int count : {3, 6, 12, 24}) {
    post_tops.push_back(gradient_norms(Block::post, count, 10, options.seed).back());
    pre_tops.push_back(gradient_norms(Block::pre, count, 10, options.seed).back());
    post_moves.push_back(moved_by_one_step(Block::post, count, 3, options.seed));
    pre_moves.push_back(moved_by_one_step(Block::pre, count, 3, options.seed));
    tops.row({std::to_string(count), fixed(post_tops.back(), 3), fixed(pre_tops.back(), 3),
              fixed(post_moves.back(), 3), fixed(pre_moves.back(), 3)});
  }
  tops.print();
  const auto [least, most] = std::minmax_element(norms[0].begin(), norms[0].end());
  claim(*most < 4 * *least, "post-norm: the layers' gradients are of about the same size");
  claim(norms[1].back() < norms[1].front(), "pre-norm: the top layer gets less than the bottom");
  claim(pre_tops.back() < 0.6 * pre_tops.front(), "pre-norm: the top's gradient falls with depth");
  claim(post_tops.back() > 0.75 * post_tops.front(), "post-norm: the top's gradient does not fall");
  claim(post_moves[2] > pre_moves[2], "the same step moves the post-norm stack further");
  say("At 12 layers the same step moves the post-norm stack {} times as far. In theory the top "
      "layer's gradient is of order 1 in post-norm, however deep the stack, and of order 1 / "
      "sqrt(layers) in pre-norm (Xiong et al. 2020).",
      fixed(post_moves[2] / pre_moves[2], 1));
  finding("Top layer's gradient, from 3 to 24 layers: post-norm {} -> {}, pre-norm {} -> {}",
          fixed(post_tops.front(), 2), fixed(post_tops.back(), 2), fixed(pre_tops.front(), 2),
          fixed(pre_tops.back(), 2));
}

void warm_up(const Options& options) {
  section("What does that mean for training?");
  constexpr int stacks = 4;  // a single stack may be lucky
  say("8 layers learn to repeat their input (16 words; guessing costs ln 16 = 2.773) by Adam with "
      "learning rate 0.004. With warm-up, the rate rises to 0.004 over the first 80 updates. The "
      "table gives the mean loss of 4 stacks from different starts, over the last 10 updates, and "
      "how many of them end above 2.5, that is, only guess:");
  struct Run {
    Phrase name;
    Block block;
    int warm_up;
    std::vector<double> losses = {};  // averaged over the stacks
    int guess = 0;
  };
  std::vector<Run> runs = {{"post", Block::post, 0},
                           {"post, warm-up", Block::post, warm_up_updates},
                           {"pre", Block::pre, 0},
                           {"pre, warm-up", Block::pre, warm_up_updates}};
  const auto losses = each_in_parallel(static_cast<int>(runs.size()) * stacks, [&](int i) {
    const Run& run = runs[static_cast<std::size_t>(i / stacks)];
    return train(run.block, run.warm_up, updates, options.seed + 1000 * std::uint64_t(i % stacks),
                 full_rate);
  });
  std::vector<Series> lines;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    Run& run = runs[r];
    run.losses.assign(updates, 0.0);
    for (std::size_t stack = r * stacks; stack < (r + 1) * stacks; ++stack) {
      run.guess += mean_of(losses[stack], updates - 10, updates) > 2.5;
      for (std::size_t i = 0; i < run.losses.size(); ++i)
        run.losses[i] += losses[stack][i] / stacks;
    }
    Series line = {run.name};
    for (int i = 0; i < updates; i += 8) line.add(i + 8, mean_of(run.losses, i, i + 8));
    lines.push_back(line);
  }
  Table table({"loss after", "20 updates", "40", "80", "120", "only guess"});
  for (const Run& run : runs) {
    std::vector<Phrase> cells = {run.name};
    for (int update : {20, 40, 80, updates})
      cells.push_back(fixed(mean_of(run.losses, update - 10, update), 3));
    cells.push_back(words("{} of 4", run.guess));
    table.row(cells);
  }
  table.print();
  write_picture(
      options, "warm_up.svg",
      line_chart_svg(
          {.title =
               words("8 layers learn to copy: without warm-up {} of 4 post-norm stacks only guess",
                     runs[0].guess),
           .x_title = "updates",
           .y_title = "loss (mean of 8)",
           .series = lines,
           .log_y = true}));
  const auto last = [&](int i) {
    return mean_of(runs[static_cast<std::size_t>(i)].losses, updates - 10, updates);
  };
  claim(runs[0].guess >= 3, "without warm-up post-norm usually only guesses");
  claim(runs[1].guess <= 1, "with warm-up post-norm usually learns");
  claim(runs[2].guess == 0 && last(2) < 0.1, "pre-norm learns without warm-up");
  say("Full steps from the start usually throw the post-norm stack to a point where it only "
      "guesses, and from which it escapes late or never. Small first steps avoid this. That is why "
      "the paper, which uses post-norm, begins with warm-up. Lesson 7 takes up a toy from the web "
      "that lacks it.");
  finding(
      "Post-norm needs warm-up: {} of 4 stacks only guess without, {} with, {} of the pre-norm "
      "ones without",
      runs[0].guess, runs[1].guess, runs[2].guess);
}

}  // namespace xf::lesson_03
