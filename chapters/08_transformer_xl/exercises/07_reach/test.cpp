#include "support/test.hpp"
#include "08_transformer_xl/memory.hpp"
#include "08_transformer_xl/relative_position.hpp"
#include "exercise.hpp"

#include <set>

using namespace xf;
using exercise::Model, exercise::State, exercise::Step;
using Tokens = std::vector<int>;

namespace {

constexpr int width = 16;
const int ids_in_all = exercise::given(11, 7, 25);

// N layers x + Attention(x, [memory ; x]) with relative positions, fresh: chapter 8's own attention
// and memory.
struct Fresh {
  Tensor table;  // (V, D)
  std::vector<RelativeAttention> layers;
  GlobalBiases bias;
  int memory;

  Fresh(int count, int memory_length, Random random)
      : table(xf::normal({ids_in_all, width}, 1, random)),
        bias(width, 2, random),
        memory(memory_length) {
    for (int n = 0; n < count; ++n) layers.emplace_back(width, 2, 0.0f, random);
    for (RelativeAttention& each : layers)  // so that scores differ
      each.w_q.weight = 3.0f * each.w_q.weight, each.w_v.weight = 2.0f * each.w_v.weight;
  }

  Step read(const Tokens& inputs, const Tokens& targets, const State& before) const {
    auto past = std::make_shared<Memory>();
    if (before) *past = *std::static_pointer_cast<const Memory>(before);
    past->memory_length = memory;
    past->layers.resize(layers.size());
    const int t = static_cast<int>(inputs.size());
    const SegmentLengths lengths = past->lengths(t);
    const Mask mask = segment_mask(lengths, false);
    const Tensor r = relative_positions(lengths.present_length + t, width);
    Tensor h = reshape(gather_rows(table, inputs), {1, t, width});
    for (std::size_t n = 0; n < layers.size(); ++n) {
      const Tensor states = past->layers[n].states;
      const Tensor context = states.defined() && states.size(1) > 0 ? concat(states, h, 1) : h;
      const Tensor above = h + layers[n](h, layers[n].keys(context, r), bias, mask);
      if (memory > 0) past->layers[n].update(h, remembered(lengths));
      h = above;
    }
    const Tensor logits = 0.3f * matmul(reshape(h, {t, width}), table, Transpose::yes);  // (t, V)
    const Values p = softmax(logits).values();
    Step step{{}, past};
    for (int i = 0; i < t; ++i)
      step.losses.push_back(-std::log(double(p[i * ids_in_all + targets[std::size_t(i)]])));
    return step;
  }
};

Model fresh(int layers, int segment, int memory, std::uint64_t seed) {
  auto model = std::make_shared<Fresh>(layers, memory, Random(exercise::salted(seed)));
  return {layers, segment, memory,
          [model](const Tokens& inputs, const Tokens& targets, const State& before) {
            return model->read(inputs, targets, before);
          }};
}

// A model that has learned one thing: the next token is the one `lag` before it. It finds it in its
// segment or among the M tokens that it keeps; else it guesses.
Model recalling(int lag, int segment, int memory, const exercise::Notes* asked = nullptr) {
  return {1, segment, memory,
          [=](const Tokens& inputs, const Tokens& targets, const State& before) {
            Tokens all;
            if (before) all = *std::static_pointer_cast<const Tokens>(before);
            const std::size_t kept = all.size();
            all.insert(all.end(), inputs.begin(), inputs.end());
            if (asked) asked->note({float(100 * kept + inputs.size())});
            Step step;
            for (std::size_t i = 0; i < inputs.size(); ++i) {
              const std::ptrdiff_t source = std::ptrdiff_t(kept + i) - lag;
              const double right = source < 0 ? 1.0 / ids_in_all : 0.9;
              const bool same = source < 0 || all[std::size_t(source)] == targets[i];
              step.losses.push_back(-std::log(same ? right : 0.1 / (ids_in_all - 1)));
            }
            const auto drop = std::max<std::ptrdiff_t>(0, std::ptrdiff_t(all.size()) - memory);
            step.state = std::make_shared<const Tokens>(all.begin() + drop, all.end());
            return step;
          }};
}

Tokens text(int length, std::uint64_t seed) {
  Random random(exercise::salted(seed));
  Tokens tokens;
  for (int i = 0; i < length; ++i) tokens.push_back(random.below(ids_in_all));
  return tokens;
}

Tensor list(const std::vector<double>& numbers) {
  return Tensor::from({static_cast<int>(numbers.size())},
                      std::vector<float>(numbers.begin(), numbers.end()));
}
Tensor one(double x) { return list({x}); }

std::vector<double> wanted_losses(const Model& model, const Tokens& tokens) {
  std::vector<double> all;
  State state;
  std::size_t at = 0;
  while (at + 1 < tokens.size()) {
    Tokens inputs, targets;
    for (; int(inputs.size()) < model.segment && at + 1 < tokens.size(); ++at) {
      inputs.push_back(tokens[at]);
      targets.push_back(tokens[at + 1]);
    }
    Step step = model.read(inputs, targets, state);
    for (double each : step.losses) all.push_back(each);
    state = step.state;
  }
  return all;
}

std::vector<double> wanted_influence(const Model& model, const Tokens& tokens, int at,
                                     int furthest) {
  std::vector<double> changes;
  for (int d = 0; d <= furthest; ++d) {
    Tokens other = tokens;
    int& token = other[std::size_t(at - d)];
    token = token + 1 == ids_in_all ? 0 : token + 1;
    changes.push_back(std::abs(wanted_losses(model, other)[std::size_t(at)] -
                               wanted_losses(model, tokens)[std::size_t(at)]));
  }
  return changes;
}

// By following every state of every layer: which positions it depends on.
int wanted_possible(int at, int layers, int segment, int memory) {
  std::set<int> positions = {at};
  for (int n = 0; n < layers; ++n) {
    std::set<int> below;
    for (int p : positions)
      for (int q = std::max(0, p - p % segment - memory); q <= p; ++q) below.insert(q);
    positions = below;
  }
  return at - *positions.begin();
}

}  // namespace

TEST_CASE("a text, segment by segment") {
  const int segment = exercise::given(4), memory = exercise::given(6);
  const Tokens tokens = text(exercise::given(23, 15, 40), 8700), shorter = text(segment + 1, 8701);
  const Model model = fresh(2, segment, memory, 8702);
  COMPARE("losses of 23 tokens, T = 4, M = 6", list(wanted_losses(model, tokens)),
          list(exercise::losses(model, tokens)));
  COMPARE("losses of one segment", list(wanted_losses(model, shorter)),
          list(exercise::losses(model, shorter)));
  const exercise::Notes asked;
  const Model told = recalling(3, segment, memory, &asked);
  COMPARE("losses of a model that recalls", list(wanted_losses(told, tokens)),
          list(exercise::losses(told, tokens)));
  COMPARE("100 tokens remembered + tokens read, call by call", asked.all(), asked.all());
}

TEST_CASE("a model that recalls one token: how far back?") {
  const int lag = exercise::given(9, 6, 12);
  const int at = exercise::given(33, 30, 37), furthest = at - exercise::within(13, 0, 16);
  const Tokens tokens = text(at + 7, 8710);
  const int segment = exercise::given(5);
  const Model model = recalling(lag, segment, 16);
  COMPARE("influence of 0 … 20 tokens before, lag 9",
          list(wanted_influence(model, tokens, at, furthest)),
          list(exercise::influence(model, tokens, at, furthest, ids_in_all)));
  const Model forgetful = recalling(lag, segment, 1);
  COMPARE("influence with a memory of 1", list(wanted_influence(forgetful, tokens, at, furthest)),
          list(exercise::influence(forgetful, tokens, at, furthest, ids_in_all)));
  Model more = model;
  more.memory = 1;
  COMPARE("influence where it remembers more than it says",
          list(wanted_influence(more, tokens, at, furthest)),
          list(exercise::influence(more, tokens, at, furthest, ids_in_all)));
}

TEST_CASE("a fresh Transformer-XL: what has an influence") {
  const int late = exercise::given(29, 26, 31);
  const Tokens tokens = text(late + 11, 8720);
  for (int at : {late, 22}) {
    const Model model =
        fresh(2, exercise::given(4, 3, 6), exercise::given(5, 3, 6), 8721 + std::uint64_t(at));
    const std::string where = at == 22 ? "at 22" : "at 29";
    COMPARE("100 influences, " + where, 100.0f * list(wanted_influence(model, tokens, at, 20)),
            100.0f * list(exercise::influence(model, tokens, at, 20, ids_in_all)));
  }
  const auto beyond = [&] {
    const Model model = fresh(2, 4, 5, 8723);
    const std::vector<double> changes = exercise::influence(model, tokens, 30, 25, ids_in_all);
    std::printf("N = 2, T = 4, M = 5, at 30; d: 1000 times the influence\n");
    for (std::size_t d = 0; d < changes.size(); ++d)
      std::printf("%s%2zu: %8.3f", d % 6 ? "   " : "\n", d, 1000 * changes[d]);
    std::printf("\npossible: %d, reach with a share of 1 %%: %d, of 10 %%: %d\n",
                exercise::possible(30, model), exercise::reach(changes, 0.01),
                exercise::reach(changes, 0.1));
    return 1e6f * list({changes.begin() + 16, changes.end()});
  };
  COMPARE("1000000 influences of d = 16 to 25, which are not possible", Tensor::zeros({10}),
          beyond());
}

TEST_CASE("the reach from a list of influences") {
  COMPARE("share 0.01", one(4), one(exercise::reach({0.5, 2, 0, 0.01, 0.03, 0.019, 0}, 0.01)));
  COMPARE("share 0.2", one(1), one(exercise::reach({0.5, 2, 0, 0.01, 0.03, 0.019, 0}, 0.2)));
  COMPARE("share 0: whatever is not 0", one(5),
          one(exercise::reach({0.5, 2, 0, 0.01, 0.03, 0.019, 0}, 0)));
  COMPARE("share 0.25, which one of them has exactly", one(0),
          one(exercise::reach({2, 0.5, 0.125}, 0.25)));
  COMPARE("no influence at all", one(-1), one(exercise::reach({0, 0, 0}, 0.01)));
  Random random(exercise::salted(8740));
  std::vector<double> drawn;
  const int count = exercise::given(9, 9, 20);
  for (int d = 0; d < count; ++d) drawn.push_back(random.uniform(0.1, 1) * std::exp(-0.3 * d));
  const double share = random.uniform(0.1, 0.6);
  const auto furthest = [&] {
    const double least = share * *std::max_element(drawn.begin(), drawn.end());
    int d = count - 1;
    while (drawn[std::size_t(d)] <= least) --d;
    return d;
  };
  COMPARE("a drawn list, a drawn share", one(furthest()), one(exercise::reach(drawn, share)));
  for (double& each : drawn) each *= 1e-6;  // only the share of the largest counts
  COMPARE("the same list, of millionths", one(furthest()), one(exercise::reach(drawn, share)));
  for (double& each : drawn) each *= 1e9;
  COMPARE("the same list, of thousands", one(furthest()), one(exercise::reach(drawn, share)));
}

TEST_CASE("how far back information could come from") {
  for (const auto& [layers, segment, memory] :
       {std::array{1, 4, 4}, std::array{3, 4, 4}, std::array{2, 6, 10}, std::array{4, 5, 3},
        std::array{3, 4, 0},
        std::array{exercise::given(2, 1, 5), exercise::given(7), exercise::given(3, 0, 12)}}) {
    const Model model{layers, segment, memory, {}};
    const auto at_all = [&](const auto& of) {
      std::vector<double> all;
      for (int at : {2, 30, 31, 32, 35, exercise::given(59, 50, 90)}) all.push_back(of(at));
      return list(all);
    };
    COMPARE("N = " + std::to_string(layers) + ", T = " + std::to_string(segment) +
                ", M = " + std::to_string(memory) + ", at 2, 30, 31, 32, 35, 59",
            at_all([&](int at) { return wanted_possible(at, layers, segment, memory); }),
            at_all([&](int at) { return exercise::possible(at, model); }));
  }
}
