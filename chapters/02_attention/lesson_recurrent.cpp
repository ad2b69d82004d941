// Lesson 2, section 11: recurrent networks, and why they were hard to train.

#include <algorithm>
#include <cmath>
#include <numeric>

#include "00_foundations/next_letter.hpp"
#include "02_attention/lesson.hpp"
#include "02_attention/recurrent.hpp"
#include "nn/parameters.hpp"
#include "ops/reduce/reduce.hpp"
#include "ops/shape/shape_ops.hpp"
#include "speech/show.hpp"
#include "tensor/portable_math.hpp"

namespace xf::lesson_02 {
namespace {

constexpr int width = 32, steps = 200, letters = 8, batch = 16, back = 4;
constexpr int draws = 8, networks = 3;  // a single run may be lucky
constexpr int updates = 250, read_letters = 100;
constexpr double rate = 0.2;

// |d L / d x_s| for a loss L that reads only the last state, at these `distances` before it; mean
// of 8 networks.
std::vector<double> gradients_by_distance(double gain, const std::vector<int>& distances,
                                          std::uint64_t seed) {
  std::vector<double> norms(distances.size(), 0);
  for (int draw = 0; draw < draws; ++draw) {
    Random random(seed, 11 + static_cast<std::uint64_t>(draw));
    const Recurrent model(letters, width, gain, random);
    std::vector<Tensor> x;
    for (int s = 0; s < steps; ++s) x.push_back(parameter(normal({1, 1, width}, 0.05, random)));
    const Tensor weights = normal({1, 1, width}, 1, random);
    Tape tape;
    const Gradients gradients = tape.backward(weighted_sum(model(x), weights));
    for (std::size_t i = 0; i < distances.size(); ++i)
      norms[i] += norm_of(gradients.of(x[std::size_t(steps - 1 - distances[i])])) / draws;
  }
  return norms;
}

// The same for self-attention, where the last of 200 words attends to all; mean of 8 layers.
std::vector<double> gradients_of_attention(const std::vector<int>& distances, std::uint64_t seed) {
  std::vector<double> norms(distances.size(), 0);
  for (int draw = 0; draw < draws; ++draw) {
    Random random(seed, 20 + static_cast<std::uint64_t>(draw));
    const MultiHeadAttention layer(width, 1, 0.0f, random);
    const Tensor x = parameter(normal({1, steps, width}, 1, random));
    const Tensor weights = normal({1, 1, width}, 1, random);
    Tape tape;
    const Gradients gradients =
        tape.backward(weighted_sum(slice(layer(x, x, {}), 1, steps - 1, 1), weights));
    for (std::size_t i = 0; i < distances.size(); ++i)
      norms[i] += norm_of(slice(gradients.of(x), 1, steps - 1 - distances[i], 1)) / draws;
  }
  return norms;
}

struct Run {
  std::vector<double> losses, norms;  // norms of the gradient before clipping
};
// The task: after 100 random letters, which one came 4 before the end?
Run trained(double clip, std::uint64_t seed, int network) {
  Random random(seed, 30 + static_cast<std::uint64_t>(network));
  Recurrent model(letters, width, 1.5, random);
  Run run;
  for (int update = 1; update <= updates; ++update) {
    std::vector<Ids> read;
    for (int s = 0; s < read_letters; ++s) {
      std::vector<std::int32_t> ids;
      for (int b = 0; b < batch; ++b) ids.push_back(random.below(letters));
      read.emplace_back(Shape{batch, 1}, ids);
    }
    Tape tape;
    std::vector<Tensor> x;
    for (const Ids& ids : read) x.push_back(embedding(ids, model.table));
    const Tensor loss = cross_entropy_in_place(model.output(model(x)), read[read_letters - back]);
    run.losses.push_back(loss.item());
    const Gradients gradients = tape.backward(loss);
    double squares = 0;
    for (const NamedParameter& p : parameters(model))
      squares += portable::square(norm_of(gradients.of(*p.tensor)));
    run.norms.push_back(std::sqrt(squares));
    // g * min(1, clip / |g|)
    const double factor = clip > 0 ? std::min(1.0, clip / run.norms.back()) : 1;
    for (const NamedParameter& p : parameters(model))
      descend(*p.tensor, gradients.of(*p.tensor), static_cast<float>(rate * factor));
  }
  return run;
}

}  // namespace

void recurrent(const Options& options) {
  section("What came before, and why was it hard to train?");
  say("A recurrent network reads one word after another into a single state: r_s = tanh(W r_{s-1} "
      "+ x_s). What was read 200 steps ago reaches the loss through 200 such steps, and so does "
      "its gradient on the way back, as a product of 200 factors. The table gives the size of d L "
      "/ d x_s for D = 32 and a loss that looks only at the last state. W is drawn so that W r is "
      "`gain` times as long as r. The values are means over 8 networks, and over 8 layers of "
      "attention:");
  const std::vector<int> distances = {0, 10, 50, 100, 199};
  Table table({"distance from the end", "0", "10", "50", "100", "199"});
  std::vector<std::vector<double>> rows;
  const auto row = [&](const Phrase& name, std::vector<double> norms) {
    std::vector<Phrase> cells = {name};
    for (double norm : norms) cells.push_back(small(norm));
    table.row(cells);
    rows.push_back(std::move(norms));
  };
  for (double gain : {0.7, 1.0, 1.5, 2.0})
    row(words("recurrent, gain {}", fixed(gain, 1)),
        gradients_by_distance(gain, distances, options.seed));
  row("self-attention", gradients_of_attention(distances, options.seed));
  table.print();
  const auto fall = [](const std::vector<double>& norms) { return norms.back() / norms.front(); };
  claim(fall(rows[0]) < 1e-6, "gain 0.7: the gradient vanishes");
  claim(fall(rows[3]) > 10, "gain 2: the gradient explodes");
  claim(rows[4].back() > 0.1 * rows[4][1], "self-attention reaches the first word directly");
  say("If the gain is a little too small, nothing of the beginning is learned; if it is a little "
      "too large, the first words outweigh all others. Attention reaches every word in one step.");

  say("How does training fare with such gradients? After 100 random letters, which one came 4 "
      "before the end? Guessing costs ln 8 = 2.079. Three networks of gain 1.5 are trained by "
      "plain gradient descent at rate 0.2, once with the gradient as it is and once clipped to "
      "length 1. The losses are means of three, over the last 20 updates:");
  Table runs({"", "largest |g|", "median |g|", "loss after 50", "150", "250"});
  std::vector<double> ends, largest;
  std::vector<int> guess;  // how many networks end where they started
  for (const auto& [name, clip] : {std::pair{"as it is", 0.0}, std::pair{"clipped", 1.0}}) {
    std::vector<double> norms, losses(updates, 0.0);
    guess.push_back(0);
    for (int network = 0; network < networks; ++network) {
      const Run run = trained(clip, options.seed, network);
      norms.insert(norms.end(), run.norms.begin(), run.norms.end());
      for (int i = 0; i < updates; ++i)
        losses[std::size_t(i)] += run.losses[std::size_t(i)] / networks;
      guess.back() += std::accumulate(run.losses.end() - 20, run.losses.end(), 0.0) / 20 > 1.9;
    }
    std::sort(norms.begin(), norms.end());
    const double median = norms[norms.size() / 2];
    std::vector<Phrase> cells = {name, small(norms.back()), small(median)};
    largest.push_back(norms.back());
    for (int update : {50, 150, updates}) {
      double mean = 0;
      for (int i = update - 20; i < update; ++i) mean += losses[std::size_t(i)] / 20;
      cells.push_back(fixed(mean, 3));
      if (update == updates) ends.push_back(mean);
    }
    runs.row(cells);
  }
  runs.print();
  claim(ends[1] < ends[0] - 0.2, "clipped, the networks learn more");
  claim(largest[0] > 5 && largest[1] > 5, "some gradients are far longer than 1");
  claim(guess[0] >= guess[1], "clipping does not leave more networks stuck");
  say("|g| is the length before clipping, and both runs meet gradients that are far too long. "
      "Unclipped, the longest step is {} times as long as a clipped one can be, and such a step "
      "flings the weights far off. Of 3 networks, {} end near the loss of guessing, and {} with "
      "clipping. Clipping keeps the direction of a gradient and limits its length. It does not "
      "cure vanishing gradients: for that, networks were given gates (the LSTM of lesson 8), and "
      "then attention.",
      fixed(largest[0], 0), guess[0], guess[1]);
  finding(
      "After 200 recurrent steps a gradient is {} to {}; the loss is {} with clipping, {} without",
      small(rows[0].back()), small(rows[3].back()), fixed(ends[1], 2), fixed(ends[0], 2));
}

}  // namespace xf::lesson_02
