// Lesson 0: what training is, when it has gone on long enough, the loss curve.

#include <array>
#include <cmath>

#include "00_foundations/lesson.hpp"
#include "00_foundations/lesson_names.hpp"
#include "00_foundations/next_letter.hpp"
#include "language/language.hpp"
#include "plot/lines.hpp"
#include "speech/show.hpp"
#include "tensor/portable_math.hpp"
#include "tensor/xt.hpp"

namespace xf::lesson_00 {
namespace {

// <pad> <bos> <eos> <unk> a … z
constexpr int letters = 30, bos = 1, eos = 2, first_letter = 4;
constexpr int batch = 32;

std::string text_of(int id) {
  static const std::array<std::string, 4> special = {"<pad>", "<bos>", "<eos>", "<unk>"};
  return id < first_letter ? special[static_cast<std::size_t>(id)]
                           : std::string(1, static_cast<char>('a' + id - first_letter));
}

// For each letter of these names, and for their ends, the `context` letters before it, as one
// number, and the letter itself. Before a name, the context is filled with <bos>.
Examples examples_of(const std::vector<std::string_view>& some, int context) {
  Examples found;
  for (const std::string_view name : some) {
    std::vector<int> ids(static_cast<std::size_t>(std::max(1, context)), bos);
    for (const char letter : name) ids.push_back(letter - 'a' + first_letter);
    ids.push_back(eos);
    for (std::size_t t = static_cast<std::size_t>(std::max(1, context)); t < ids.size(); ++t) {
      int number = 0;
      for (std::size_t back = static_cast<std::size_t>(context); back > 0; --back)
        number = number * letters + ids[t - back];
      found.contexts.push_back(number);
      found.next.push_back(ids[t]);
    }
  }
  return found;
}

struct Split {
  Examples training, held_out;
};
Split split(int context) {
  std::vector<std::string_view> seen, unseen;
  for (std::size_t i = 0; i < names.size(); ++i) (i % 5 == 4 ? unseen : seen).push_back(names[i]);
  return {examples_of(seen, context), examples_of(unseen, context)};
}

int contexts(int context) { return static_cast<int>(std::lround(portable::pow(letters, context))); }

// The relative frequency of each letter after each one-letter context: the maximum-likelihood
// estimate, so that no other table has a lower loss on these examples.
xt::xtensor<float, 2> counted_shares(const Examples& examples) {
  xt::xtensor<float, 2> counts = xt::zeros<float>({letters, letters});
  for (std::size_t i = 0; i < examples.next.size(); ++i)
    counts(static_cast<std::size_t>(examples.contexts[i]),
           static_cast<std::size_t>(examples.next[i])) += 1;
  const xt::xtensor<float, 1> totals = xt::maximum(xt::sum(counts, {1}), 1.0f);
  return counts / xt::view(totals, xt::all(), xt::newaxis());
}

// -mean log p[context, next].
double loss_of_shares(const xt::xtensor<float, 2>& p, const Examples& examples) {
  double total = 0;
  for (std::size_t i = 0; i < examples.next.size(); ++i)
    total -= portable::log(double(p(static_cast<std::size_t>(examples.contexts[i]),
                                    static_cast<std::size_t>(examples.next[i]))));
  return total / static_cast<double>(examples.next.size());
}

// Letters sampled one by one from the model's probabilities, from <bos> to <eos>.
std::string written_name(const NextLetter& model, Random& random) {
  std::string name;
  for (int last = bos; name.size() < 20;) {
    const std::vector<float> log_p = log_softmax(model(Ids({1, 1}, {last}))).values();
    double left = random.uniform();
    int next = 0;
    while (next + 1 < letters && (left -= portable::exp(double(log_p[std::size_t(next)]))) > 0)
      ++next;
    if (next == eos) break;
    name += next < first_letter ? "_" : text_of(next);
    last = next;
  }
  return name;
}

std::string written_names(const NextLetter& model, std::uint64_t seed) {
  Random random(seed, 8);
  std::string list;
  for (int i = 0; i < 6; ++i) list += (i > 0 ? "  " : "") + written_name(model, random);
  return list;
}

// The gradient at the start, by the formula: the frequency of the context times (p - share).
void agree_with_the_formula(const Examples& examples) {
  NextLetter model(letters, letters);
  Tape tape;
  const Gradients gradients = tape.backward(loss_of(model, examples));
  xt::xtensor<float, 2> expected = 1.0f / letters - counted_shares(examples);
  xt::xtensor<float, 1> occurs = xt::zeros<float>({letters});
  for (const int context : examples.contexts)
    occurs(static_cast<std::size_t>(context)) += 1.0f / float(examples.contexts.size());
  expected *= xt::view(occurs, xt::all(), xt::newaxis());
  equation("dL/dlogits[c] = share of c among the contexts * (p - shares of what followed c)");
  agree("the tape's gradient and this formula", gradients.of(model.logits), from_xt<2>(expected));
}

struct Curves {
  Series training, held_out;
};
Curves trained(NextLetter& model, const Split& data, int epochs, float rate, std::uint64_t seed) {
  Random random(seed, 9);
  Curves curves;
  for (int epoch = 0; epoch <= epochs; ++epoch) {
    if (epoch > 0) train_epoch(model, data.training, batch, rate, random);
    curves.training.add(epoch, loss_of(model, data.training).item());
    curves.held_out.add(epoch, loss_of(model, data.held_out).item());
  }
  return curves;
}

void draw(const CommonOptions& options, const std::string& file, const Phrase& title,
          const Phrase& x_title, std::vector<Series> lines, bool log_y = false) {
  write_picture(options, file,
                line_chart_svg({.title = title,
                                .x_title = x_title,
                                .y_title = log_y ? "loss, nats per letter (log scale)"
                                                 : "loss, nats per letter",
                                .series = std::move(lines),
                                .log_y = log_y}));
}

}  // namespace

void training(const CommonOptions& options) {
  section("How does a table learn?");
  const Split data = split(1);
  say("The smallest model that learns: given one letter of a name, which one comes next? It is a "
      "table of {} rows, one for each token (26 letters and 4 special ones), which holds a score, "
      "called a logit, for each token that may follow. A name is learned as pairs, from <bos>, "
      "where it begins, to <eos>, where "
      "it ends:",
      letters);
  const Examples anna = examples_of({"anna"}, 1);
  std::string pairs;
  for (std::size_t i = 0; i < anna.next.size(); ++i)
    pairs += (i > 0 ? "   " : "") + text_of(anna.contexts[i]) + " -> " + text_of(anna.next[i]);
  quote(pairs);
  say("{} first names. Every fifth is held out, to see whether what was learned holds for names "
      "that were not shown: {} pairs to learn from, {} held out.",
      names.size(), data.training.next.size(), data.held_out.next.size());
  equation(
      "p = softmax(logits[context])                    one row of probabilities\n"
      "L = -mean over the pairs of log p[next]         the cross-entropy\n"
      "logits = logits - rate * dL/dlogits             gradient descent");
  agree_with_the_formula(data.training);
  computation_graph(options);
  NextLetter model(letters, letters);
  const std::string before = written_names(model, options.seed);
  const Curves curves = trained(model, data, 40, 10, options.seed);
  say("An epoch is one pass through all pairs, here in batches of 32, each of which is one update. "
      "Guessing among {} costs ln {} = {}:",
      letters, letters, fixed(portable::log(letters), 3));
  Table table({"epochs", "updates", "training loss", "held-out loss"});
  const int updates = (static_cast<int>(data.training.next.size()) + batch - 1) / batch;
  for (const std::size_t epoch : {0, 1, 2, 5, 10, 20, 40})
    table.row({std::to_string(epoch), std::to_string(static_cast<int>(epoch) * updates),
               fixed(curves.training.y[epoch], 3), fixed(curves.held_out.y[epoch], 3)});
  const xt::xtensor<float, 2> shares = counted_shares(data.training);
  const double counted = loss_of_shares(shares, data.training);
  const double counted_held_out = loss_of_shares(shares, data.held_out);
  table.row({"counting", "", fixed(counted, 3), fixed(counted_held_out, 3)});
  table.print();
  say("The last row uses the proportions that were counted. No table does better on the training "
      "pairs. Gradient descent comes close to it without counting, and also works where nothing "
      "can be counted. It calls no pair impossible, whereas counting gives probability 0 to "
      "held-out pairs that it never saw. Names that the model writes, letter by letter (_ is a "
      "special token):");
  equation("before: {}\nafter:  {}", before, written_names(model, options.seed));
  claim(std::abs(curves.training.y.front() - portable::log(letters)) < 1e-4,
        "a fresh table guesses");
  claim(curves.training.y.back() > counted && curves.training.y.back() < 1.03 * counted,
        "descent comes close to the shares that were counted");
  claim(std::isinf(counted_held_out) && std::isfinite(curves.held_out.y.back()),
        "counting rules out held-out pairs, descent rules out none");
  finding("Training: lower -mean log p(next) in small steps against its gradient, from {} to {}",
          fixed(curves.training.y.front(), 2), fixed(curves.training.y.back(), 2));
}

void fitting(const CommonOptions& options) {
  section("When has it learned enough?");
  say("The same training with contexts of no letter, one letter and two letters. The table has "
      "a row for every context, so it grows. Training takes 80 epochs at a learning rate of "
      "10, or of 1 without context, because every example then moves the same row. The "
      "held-out loss is given where it is lowest, and after the last epoch:");
  Table table({"letters of context", "weights", "training loss", "held-out: lowest", "at epoch",
               "after 80"});
  std::vector<Series> lines;
  std::vector<double> last_training, lowest, last;
  for (const int context : {0, 1, 2}) {
    NextLetter model(contexts(context), letters);
    Curves curves = trained(model, split(context), 80, context == 0 ? 1 : 10, options.seed);
    const std::vector<double>& held_out = curves.held_out.y;
    const auto best = std::min_element(held_out.begin(), held_out.end());
    last_training.push_back(curves.training.y.back());
    lowest.push_back(*best);
    last.push_back(held_out.back());
    table.row({std::to_string(context), std::to_string(contexts(context) * letters),
               fixed(last_training.back(), 3), fixed(*best, 3),
               std::to_string(best - held_out.begin()), fixed(held_out.back(), 3)});
    const Words letters_seen = context == 0 ? "no letter" : context == 1 ? "1 letter" : "2 letters";
    curves.training.name = words("{}, training", letters_seen);
    curves.held_out.name = words("{}, held out", letters_seen);
    curves.held_out.beside_previous = true;
    lines.push_back(curves.training);
    lines.push_back(curves.held_out);
  }
  table.print();
  draw(options, "fitting.svg",
       words("Two letters of context: training falls to {}, held out rises again to {}",
             fixed(last_training[2], 2), fixed(last[2], 2)),
       "epochs", std::move(lines));
  say("Without context, both losses stay high: the model is too simple for the data, so it "
      "underfits. With two letters, the training loss is the lowest of all, but the held-out loss "
      "turns and rises: the model learns these names by heart, so it overfits. The remedies are "
      "more data, a simpler model, dropout (lesson 4), or stopping at the lowest held-out loss.");
  claim(last_training[0] > last_training[1] && last_training[1] > last_training[2],
        "the longer the context, the lower the training loss");
  claim(lowest[1] < lowest[0] && last[2] > lowest[2] + 0.1, "two letters overfit");
  claim(std::abs(last[0] - last_training[0]) < 0.05, "without context both losses stay equal");
  finding("With two letters it learns by heart: training {}, held out {} and rising to {}",
          fixed(last_training[2], 2), fixed(lowest[2], 2), fixed(last[2], 2));
}

void loss_curves(const CommonOptions& options) {
  section("What does a loss curve tell us?");
  const Split data = split(1);
  say("One letter of context, all training pairs in every update, four learning rates:");
  Table table({"rate", "loss after 0", "1", "2", "5", "20", "100 updates"});
  std::vector<Series> lines;
  std::vector<double> last, slope;  // slope: fall over the last 10 updates / over the first 10
  std::vector<int> rises;
  for (const float rate : {0.3f, 30.0f, 300.0f, 3000.0f}) {
    NextLetter model(letters, letters);
    Series line = {fixed(rate, rate < 1 ? 1 : 0)};
    for (int step = 0; step <= 100; ++step) line.add(step, update(model, data.training, rate));
    std::vector<Phrase> cells = {line.name};
    for (const std::size_t step : {0, 1, 2, 5, 20, 100}) cells.push_back(fixed(line.y[step], 3));
    table.row(cells);
    last.push_back(line.y.back());
    slope.push_back((line.y[90] - line.y[100]) / (line.y[0] - line.y[10]));
    rises.push_back(0);
    for (std::size_t step = 1; step <= 100; ++step) rises.back() += line.y[step] > line.y[step - 1];
    lines.push_back(line);
  }
  table.print();
  draw(options, "rates.svg", "A rate of 0.3 creeps, 30 learns, 300 zigzags, 3000 is lost",
       "updates", std::move(lines), true);
  say("At 0.3 the curve is a slope that has not flattened: the steps are too small, or there were "
      "too few. At 30 it falls fast and flattens. At 300 it jumps up and down: a step overshoots, "
      "and the next one corrects too much. At 3000 it leaps at once to something far worse than "
      "guessing, and stays there.");
  claim(last[1] < last[0] && last[1] < last[2], "a rate of 30 is best of the four");
  claim(slope[0] > 0.5 && slope[1] >= 0 && slope[1] < 0.1, "0.3 has not flattened, 30 has");
  claim(rises[1] == 0 && rises[2] > 20, "300 jumps up and down");
  claim(last[3] > 10 * portable::log(letters), "a rate of 3000 ends far above guessing");
  finding("The rate decides: 0.3 creeps ({}), 30 learns ({}), 300 zigzags ({}), 3000 is lost ({})",
          fixed(last[0], 2), fixed(last[1], 2), fixed(last[2], 2), fixed(last[3], 0));
}

}  // namespace xf::lesson_00
