#include <algorithm>
#include <CLI/App.hpp>
#include <iostream>
#include <memory>
#include <numeric>

#include "09_since_2017/program/commands.hpp"
#include "09_since_2017/program/layer_walk.hpp"
#include "09_since_2017/program/read_text.hpp"
#include "io/files.hpp"
#include "io/printable.hpp"
#include "seeing/head_measures.hpp"
#include "seeing/heads_page.hpp"
#include "seeing/heads_table.hpp"
#include "speech/terminal.hpp"
#include "tensor/random.hpp"
#include "train/progress.hpp"

namespace xf::since_2017 {

namespace {

using Heads = std::set<LayerWalk::Head>;

// Calls f(index of the head, its weights (T, T)), layer by layer.
template <class F>
void for_each_head(const LayerWalk& walk, int layers, int heads, const F& f) {
  for (int layer = 0; layer < layers; ++layer) {
    const Values weights = walk.weights(layer).values();
    const std::size_t one = weights.size() / static_cast<std::size_t>(heads);
    for (int head = 0; head < heads; ++head)
      f(static_cast<std::size_t>(layer * heads + head),
        std::span(weights.data() + std::size_t(head) * one, one));
  }
}

double mean_nats(const std::vector<double>& logs, std::size_t first, std::size_t end) {
  return -std::accumulate(logs.begin() + std::ptrdiff_t(first), logs.begin() + std::ptrdiff_t(end),
                          0.0) /
         double(end - first);
}

// Random tokens of the vocabulary, repeated once, after the token that begins every text.
struct Twice {
  Repeated shape;
  std::vector<int> ids;

  Twice(const ReadText& read, int period, Random& random) : ids(read.tokenizer.encode("")) {
    shape = {static_cast<int>(ids.size()), period};
    while (std::ssize(ids) < shape.before + period) {
      const int id = random.below(read.published.model.config.vocabulary);
      if (!read.tokenizer.decode({id}).empty()) ids.push_back(id);
    }
    const std::vector<int> once(ids.begin() + shape.before, ids.end());
    ids.insert(ids.end(), once.begin(), once.end());
  }
};

// How well a repeated text is predicted, the first time and the second.
struct TwiceLoss {
  double first = 0, second = 0;
};

class HeadsSeen {
 public:
  HeadsSeen(const ReadText& read, std::uint64_t seed)
      : read_(read),
        model_(read.published.model),
        layers_(model_.config.layers),
        heads_(model_.config.heads),
        random_(seed),
        walk_(model_, read.ids) {
    measure_text();
    measure_twice();
  }

  // The increase of the text's loss when each head is removed alone.
  void remove_each() {
    std::vector<double>& removed = map("removed");
    Meanwhile meanwhile(double(removed.size()), "heads");
    for (int layer = 0; layer < layers_; ++layer)
      for (int head = 0; head < heads_; ++head, meanwhile.add(1))
        removed[static_cast<std::size_t>(layer * heads_ + head)] =
            loss_without({{layer, head}}) - loss_;
  }

  // The loss of the second half of a repeated text without the heads that copy, without those that
  // attend to the previous token, and without as many others.
  void remove_together() {
    const int count = std::max(1, layers_ * heads_ / 27);
    const Heads copying = most("induction", count), before = most("previous", count);
    std::vector<LayerWalk::Head> all;
    for (int i = 0; i < layers_ * heads_; ++i) all.emplace_back(i / heads_, i % heads_);
    random_.shuffle(all.begin(), all.end());
    Heads others;
    for (const LayerWalk::Head& head : all)
      if (std::ssize(others) < count && !copying.contains(head) && !before.contains(head))
        others.insert(head);
    const TwiceLoss whole = twice_loss({});
    facts_ = {{"twice", {whole.first, whole.second}},
              {"without",
               {double(count), twice_loss(copying).second, twice_loss(before).second,
                twice_loss(others).second}}};
  }

  HeadsPage page(const std::string& title) {
    HeadsView view{"decoder", layers_, heads_, maps_, {}};
    const int shown = tokens_that_fit(layers_, heads_);
    std::vector<int> beginning = read_.ids;
    beginning.resize(std::min(beginning.size(), std::size_t(shown)));
    view.texts.push_back(seen("text", beginning));
    view.texts.push_back(seen("twice", Twice(read_, std::max(1, shown / 2 - 1), random_).ids));
    HeadsPage page{title, read_.tokenizer.decode(read_.ids), {std::move(view)}, facts_};
    page.facts.insert(page.facts.begin(), {"loss", {double(read_.ids.size()), loss_}});
    page.facts.push_back({"sink", {first_share(0, 2), first_share(2, layers_)}});
    return page;
  }

 private:
  void measure_text() {
    for_each_head(walk_, layers_, heads_, [&](std::size_t i, std::span<const float> weights) {
      const HeadMeasures m = measured(weights, read_.ids, Sight::back);
      map("first")[i] = m.first, map("previous")[i] = m.previous, map("itself")[i] = m.itself;
      map("same")[i] = m.same;
    });
    loss_ = loss_without({});
  }

  void measure_twice() {
    constexpr int draws = 4, max_tokens = 50;
    const int most = read_.published.max_positions, begins = int(read_.tokenizer.encode("").size());
    const int period = most > 0 ? std::min(max_tokens, (most - begins) / 2) : max_tokens;
    for (int draw = 0; draw < draws; ++draw) {
      twice_.emplace_back(read_, std::max(1, period), random_);
      twice_walks_.emplace_back(model_, twice_.back().ids);
      for_each_head(twice_walks_.back(), layers_, heads_, [&](std::size_t i, auto weights) {
        map("induction")[i] += induction(weights, twice_.back().shape) / draws;
        map("duplicate")[i] += duplicates(weights, twice_.back().shape) / draws;
      });
    }
  }

  // One number per head, initially zero.
  std::vector<double>& map(const std::string& name) {
    for (HeadMap& known : maps_)
      if (known.name == name) return known.values;
    maps_.push_back({name, std::vector<double>(std::size_t(layers_) * std::size_t(heads_))});
    return maps_.back().values;
  }

  double loss_without(const Heads& heads) const {
    const auto logs = log_probabilities(model_, model_.final_norm(walk_.without(heads)), read_.ids);
    return mean_nats(logs, 0, logs.size());
  }

  TwiceLoss twice_loss(const Heads& heads) const {
    TwiceLoss mean;
    for (std::size_t i = 0; i < twice_.size(); ++i) {
      const auto logs = log_probabilities(model_, model_.final_norm(twice_walks_[i].without(heads)),
                                          twice_[i].ids);
      // logs[j] is for token j + 1; the very first token has none, because nothing precedes it.
      const auto& [before, period] = twice_[i].shape;
      const auto middle = static_cast<std::size_t>(before + period - 1);
      const auto begin = static_cast<std::size_t>(std::max(0, before - 1));
      const double share = 1.0 / double(twice_.size());
      if (middle > begin) mean.first += share * mean_nats(logs, begin, middle);
      mean.second += share * mean_nats(logs, middle, logs.size());
    }
    return mean;
  }

  Heads most(const std::string& name, int count) {
    Heads found;
    for (const HeadOf& one : strongest({name, map(name)}, heads_, count))
      found.insert({one.layer, one.head});
    return found;
  }

  double first_share(int begin, int end) {
    const std::vector<double>& first = map("first");
    end = std::min(end, layers_);
    if (begin >= end) return 0;
    return std::accumulate(first.begin() + begin * heads_, first.begin() + end * heads_, 0.0) /
           double((end - begin) * heads_);
  }

  SeenText seen(const std::string& name, const std::vector<int>& ids) const {
    const LayerWalk walk(model_, ids);
    SeenText text{name, read_.all_spelled(ids), read_.all_spelled(ids), {}};
    for (int layer = 0; layer < layers_; ++layer) text.weights.push_back(walk.weights(layer));
    return text;
  }

  const ReadText& read_;
  const DecoderOnly& model_;
  int layers_, heads_;
  std::vector<HeadMap> maps_;
  Random random_;
  LayerWalk walk_;
  double loss_ = 0;
  std::vector<Twice> twice_;
  std::vector<LayerWalk> twice_walks_;
  std::vector<std::pair<std::string, std::vector<double>>> facts_;
};

void print(const HeadsPage& page, int all_tokens) {
  for (const auto& [name, n] : page.facts) {
    if (name == "loss")
      std::cout << formatted("%.0f of %d tokens, %.4f nats each\n\n", n[0], all_tokens, n[1])
                << heads_table(page.views[0], page_width()) << '\n';
    if (name == "twice")
      std::cout << formatted("random tokens said twice: %.3f nats, the second time %.3f\n", n[0],
                             n[1]);
    if (name == "without")
      std::cout << formatted(
          "the second time, %.0f heads removed: the most inductive %.3f, those that look most at\n"
          "the token before %.3f, others %.3f\n",
          n[0], n[1], n[2], n[3]);
    if (name == "sink")
      std::cout << formatted(
          "mean weight on the first token: layers 0 and 1 %.3f, all others %.3f\n", n[0], n[1]);
  }
}

struct HeadsFlags {
  TextFlags text;
  bool quick = false;
};

int run_heads(const HeadsFlags& f, const CommonOptions& common) {
  const auto [read, all_tokens] = f.text.read();
  if (read.ids.size() < 3) throw UserError("{}: fewer than three tokens", f.text.given());
  HeadsSeen seen(read, common.seed);
  if (!f.quick) seen.remove_each();
  seen.remove_together();
  const HeadsPage page = seen.page("Heads: " + f.text.model);
  print(page, all_tokens);
  const std::string path = output_path(common, "heads.html");
  write_file_atomically(path, heads_html(page));
  std::cout << path << '\n';
  return 0;
}

}  // namespace

Command add_heads(CLI::App& app) {
  auto f = std::make_shared<HeadsFlags>();
  f->text.add(app);
  app.add_flag("--quick", f->quick, "skip the loss with each head removed, which takes longest");
  return [f](const CommonOptions& common) { return run_heads(*f, common); };
}

}  // namespace xf::since_2017
