// `./learn mine compare`: the same training twice, with the learner's parts and with the book's,
// compared update by update; then each part alone, to name the one that makes a difference.

#include <algorithm>
#include <CLI/App.hpp>
#include <cmath>
#include <ctime>
#include <map>
#include <memory>

#include "07_transformer/experiments/own_language.hpp"
#include "07_transformer/program/evaluation.hpp"
#include "bench/profile.hpp"
#include "mine/compare.hpp"
#include "plot/lines.hpp"
#include "program/number_flags.hpp"
#include "program/program.hpp"
#include "text/bleu.hpp"
#include "train/training_loop.hpp"

#undef bleu

namespace xf {

namespace {

using namespace mine;

// Keeps the gradients of the last update, before they are clipped.
struct Kept : Exchange {
  using Exchange::Exchange;
  GradientSums sum(std::span<Gradients> shards, ShardLosses* losses) override {
    return last = Exchange::sum(shards, losses);
  }

  GradientSums last = {};
};

// A training of the little language, one update at a time, with one table of parts. Without
// dropout: its masks depend on positions, which differ between sentences side by side and packed.
class Side {
 public:
  Side(const Parts& some, const TrainingData& data, std::uint64_t seed, double dropout = 0)
      : parts_(some),
        translator_(
            with(parts_,  // it computes the positions
                 [&] { return lesson_07::fresh_translator(sizes(dropout), data.train, seed); })),
        task_(translation_task(translator_, data, options(), "", seed)),
        trainer_(*task_, {}, 1.0, {ScheduleKind::noam, 4e-3, 200}, seed) {
    auto kept = std::make_unique<Kept>(task_->parameters());
    sums_ = &kept->last;
    trainer_.exchange = std::move(kept);
  }

  // One update; its results are in the members below.
  void step() {
    const std::clock_t begin = std::clock();  // CPU time, summed over all threads
    TrainingWatcher one_update(1);
    loss = with(parts_, [&] {
      train(trainer_, one_update);
      return double(trainer_.parallel.losses());
    });
    seconds += double(std::clock() - begin) / CLOCKS_PER_SEC;
  }
  // Gammas of 1 and biases of 0 would hide it if one were forgotten, so they are changed before the
  // first update.
  void move_vectors() {
    Random random(trainer_.seed, 1);
    for (const NamedParameter& one : task_->parameters())
      if (one.tensor->rank() == 1)
        replace_each(*one.tensor, [&](float x) { return x + 0.2 * random.normal(); });
  }
  std::vector<std::string> translate(const std::vector<std::string>& lines) {
    return with(parts_, [&] { return translate_lines(translator_, lines, {}); });
  }
  Hypothesis found_by(const std::string& line, int beam) const {
    const std::vector<int> ids = translator_.encode_source(line);
    const Ids source({1, static_cast<int>(ids.size())}, ids);
    return xf::translate(translator_.model, source, {.beam = beam, .length_penalty = 0})[0];
  }
  std::vector<NamedParameter> weights() { return task_->parameters(); }
  const Tensors& gradients() const { return sums_->of; }  // until the next update

  double loss = 0, seconds = 0;

 private:
  static TransformerConfig sizes(double dropout) {
    TransformerConfig sizes = lesson_07::language_sizes();
    sizes.dropout = dropout;
    sizes.norm = NormOrder::pre;
    sizes.tied_output = true;
    sizes.output_bias = false;
    return sizes;
  }
  static TrainingOptions options() {
    TrainingOptions options = lesson_07::language_training();
    options.inner_dropout = 0;
    return options;
  }

  Parts parts_;
  Translator translator_;
  std::unique_ptr<TrainingTask> task_;
  Trainer trainer_;
  const GradientSums* sums_;
};

double bleu_of(const Parts& some, const std::vector<std::string>& said,
               const std::vector<std::string>& wanted) {
  return with(some, [&] { return mine::bleu(said, wanted, {.tokens = BleuTokens::none}).score; });
}

// The gradients in the order in which backward reaches them; if all agree, the weight that differs
// most. A gradient that is almost 0 by design, such as a key bias's, is compared with a thousandth
// of the largest of all.
Difference difference(Side& own, Side& book) {
  const double loss = std::abs(own.loss - book.loss) / std::abs(book.loss);
  Difference found;
  found.note(words("the loss"), std::isnan(loss) ? 1e9 : loss);
  double scale = 0;
  for (const Tensor& g : book.gradients()) scale = std::max(scale, largest(g));
  const auto names = book.weights(), own_weights = own.weights();
  for (std::size_t p = names.size(); p-- > 0;)
    found.note(words("the gradient of {}", names[p].name),
               largest_difference(own.gradients()[p], book.gradients()[p]) /
                   std::max(largest(book.gradients()[p]), scale / 1000));
  if (found.share > 0) return found;  // with identical gradients, the weights must agree, too
  for (std::size_t p = 0; p < names.size(); ++p) {
    const double by =
        largest_difference(*own_weights[p].tensor, *names[p].tensor) / largest(*names[p].tensor);
    if (by > found.share) found = {names[p].name, by};
  }
  return found;
}

// The part of the model that an op belongs to.
std::string group_of(std::string op) {
  std::replace(op.begin(), op.end(), '_', ' ');
  for (const char* part : {"attention", "layer norm", "feed-forward", "embedding", "dropout"})
    if (op.find(part) != op.npos) return part;
  return op == "loss of parts" || op == "cross entropy" ? "loss" : "the rest";
}

// The share of each group in the time of all ops, in percent.
std::map<std::string, double> shares(Side& side) {
  const bench::Profile profile;
  for (int update = 0; update < 5; ++update) side.step();
  std::map<std::string, double> all;
  double total = 0;
  for (const auto& [op, time] : profile.rows()) {
    all[group_of(op)] += time.forward + time.backward;
    total += time.forward + time.backward;
  }
  for (auto& [name, share] : all) share *= 100 / total;
  return all;
}

// One part alone, on a model trained by the book: how many translations differ (in beam search,
// whose ending rule is different, only less probable ones count), and the BLEU it computes. returns
// whether it differs
bool differs_in_search(const std::string& exercise, const Parts& alone, const Side& book,
                       const ParallelText& text) {
  int others = 0;
  for (const int beam : {1, 4}) {
    if (!(beam == 1 ? alone.greedy || alone.step : bool(alone.beam_search))) continue;
    for (const std::string& line : text.source) {
      const auto find = [&] { return book.found_by(line, beam); };
      const Hypothesis by_the_book = with({}, find), own = with(alone, find);
      others += own.tokens != by_the_book.tokens &&
                !(beam > 1 && own.log_probability >= by_the_book.log_probability - 1e-3);
    }
  }
  if (others > 0)
    say_line(words("  {}  {} of {} translations differ", exercise, others, text.source.size()));
  if (!alone.bleu) return others > 0;
  std::vector<std::string> shortened;  // each line without its first word
  for (const std::string& line : text.target) shortened.push_back(line.substr(line.find(' ') + 1));
  const double by_the_book = bleu_of({}, shortened, text.target);
  const double own = bleu_of(alone, shortened, text.target);
  if (std::abs(own - by_the_book) <= 0.005) return false;
  say_line(words("  {}  BLEU {}, the book's {}", exercise, fixed(own, 2), fixed(by_the_book, 2)));
  return true;
}

// Each part alone, for two updates or in the searches.   returns how many differ
int part_by_part(const TrainingData& data, const Side& trained, const ParallelText& text,
                 std::uint64_t seed) {
  int count = 0;
  for (const auto& [exercise, alone] : loaded_parts()) {
    if (alone.learn_merges) continue;  // the book uses SentencePiece's pieces
    if (alone.greedy || alone.step || alone.beam_search || alone.bleu) {
      count += differs_in_search(exercise, alone, trained, text);
      continue;
    }
    const double dropout = alone.dropout ? 0.1 : 0;
    Side own(alone, data, seed, dropout), book({}, data, seed, dropout);
    own.move_vectors();
    book.move_vectors();
    for (int update = 1; update <= 2; ++update) {
      own.step();
      book.step();
      const Difference found = difference(own, book);
      if (found.share <= rounding) continue;
      ++count;
      say_difference(found, words("  {}  update {}, ", exercise, update));
      break;
    }
  }
  return count;
}

ParallelText first_of(const std::vector<SentencePair>& pairs, int count) {
  return lesson_07::parallel_text({pairs.begin(), pairs.begin() + count});
}

int compare(const CompareFlags& f, const CommonOptions& common) {
  if (!f.model.empty()) return compare_published(f);
  const CorpusSplit split = lesson_07::language_split();
  const TrainingData data{lesson_07::parallel_text(split.train), {}};
  const ParallelText held_out = first_of(split.held_out, 100);
  Side own(parts(), data, common.seed), book({}, data, common.seed);
  std::vector<double> updates, own_losses, book_losses;
  Difference first;
  int first_at = 0;
  double apart = 0;
  for (int update = 1; update <= f.updates; ++update) {
    own.step();
    book.step();
    updates.push_back(update);
    own_losses.push_back(own.loss);
    book_losses.push_back(book.loss);
    apart = std::max(apart, std::abs(own.loss - book.loss));
    if (first_at) continue;
    first = difference(own, book);
    if (first.share > 0) first_at = update;
  }
  if (first_at)
    say_difference(first, words("the first to differ, in update {}: ", first_at));
  else
    say_line(words("every update agrees with the book's to the last digit"));
  say_line(
      words("in update 1 your loss is {} (the book's {}), in update {} it is {} (the book's {}); "
            "the losses are at most {} apart",
            fixed(own_losses[0], 6), fixed(book_losses[0], 6), f.updates,
            fixed(own_losses.back(), 6), fixed(book_losses.back(), 6), small(apart)));
  const auto said = own.translate(held_out.source), book_said = book.translate(held_out.source);
  say_line(words("BLEU of greedy search: yours {}, the book's {}",
                 fixed(bleu_of(parts(), said, held_out.target), 2),
                 fixed(bleu_of({}, book_said, held_out.target), 2)));
  say_line(words("an update takes {} times as long as the book's",
                 fixed(own.seconds / book.seconds, 1)));
  const auto own_shares = shares(own), book_shares = shares(book);
  for (const auto& [name, share] : own_shares)
    if (name != "the rest" && book_shares.contains(name))
      say_line(words("  {} yours {}% of a step, the book's {}%",
                     formatted("%-14s", translated(name).c_str()), formatted("%5.1f", share),
                     formatted("%5.1f", book_shares.at(name))));
  const std::string picture = line_chart_svg(
      {.title = words("Loss: your parts and the book's"),
       .x_title = words("update"),
       .y_title = words("loss"),
       .series = {{.name = words("yours"), .x = updates, .y = own_losses},
                  {.name = words("the book's"), .x = updates, .y = book_losses, .dashed = true}}});
  write_picture(common, "losses.svg", picture);
  if (f.together) return 0;
  say_line(words("each part by itself:"));
  const int differ = part_by_part({first_of(split.train, 400), {}}, book,
                                  first_of(split.held_out, 8), common.seed);
  if (differ == 0) say_line(words("  all of them agree with the book's, but for rounding"));
  return differ > 0 ? 1 : 0;
}

}  // namespace

Command add_compare(CLI::App& app) {
  auto f = std::make_shared<CompareFlags>();
  app.add_flag("--together", f->together, "skip trying each part by itself");
  integer_flag(app, "--updates", f->updates, "number of updates in each run", 1);
  app.add_option("--model", f->model,
                 "instead of training, run a text through this published model")
      ->type_name("DIR|FILE");
  app.add_option("--prompt", f->prompt, "with --model: how the text begins")->capture_default_str();
  integer_flag(app, "--length,--tokens", f->length, "with --model: tokens to write", 1);
  return [f](const CommonOptions& common) { return compare(*f, common); };
}

}  // namespace xf
