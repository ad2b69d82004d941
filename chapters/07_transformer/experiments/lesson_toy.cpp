#include "07_transformer/experiments/lesson_toy.hpp"

#include <numeric>

#include "nn/parameters.hpp"
#include "ops/cross_entropy/cross_entropy.hpp"
#include "ops/reduce/reduce.hpp"
#include "train/adam.hpp"
#include "train/schedule.hpp"

namespace xf::lesson_07 {

namespace {

constexpr int d_model = 512;

// A sentence of ids at given positions.
struct Sentence {
  std::vector<std::int32_t> ids;
  std::vector<int> positions;

  Ids batch() const { return Ids({1, static_cast<int>(ids.size())}, ids); }
};

// The pair, under one particular numbering of its words.
struct Pair {
  Sentence source, target_in;
  std::vector<std::int32_t> target_out;
  std::vector<std::string> words;  // of the target ids
  std::int32_t start, end;
};

// As published: `I` and 我 have the id 0 that the mask treats as padding; Beijing, Winter and Games
// are all 4; the last source word has position 0, and the first target word 7.
Pair published_pair() {
  return {.source = {{0, 1, 2, 3, 4, 4, 4}, {1, 2, 3, 4, 5, 6, 0}},
          .target_in = {{6, 0, 1, 2, 3, 4, 5}, {7, 1, 2, 3, 4, 5, 6}},
          .target_out = {0, 1, 2, 3, 4, 5, 7},
          .words = {"我", "爱", "2022", "北京", "冬", "奥会", "S", "E"},
          .start = 6,
          .end = 7};
}

Pair own_ids_pair() {
  return {.source = {{4, 5, 6, 7, 8, 9, 10}, {1, 2, 3, 4, 5, 6, 0}},
          .target_in = {{bos_id, 4, 5, 6, 7, 8, 9}, {7, 1, 2, 3, 4, 5, 6}},
          .target_out = {4, 5, 6, 7, 8, 9, eos_id},
          .words = {"<pad>", "S", "E", "<unk>", "我", "爱", "2022", "北京", "冬", "奥会"},
          .start = bos_id,
          .end = eos_id};
}

Pair pair_for(const ToyRun& run) {
  Pair pair = run.own_ids ? own_ids_pair() : published_pair();
  if (run.true_positions) {
    std::iota(pair.source.positions.begin(), pair.source.positions.end(), 0);
    std::iota(pair.target_in.positions.begin(), pair.target_in.positions.end(), 0);
  }
  return pair;
}

// PyTorch's defaults: embeddings N(0, 1), linear layers uniform in +-1/sqrt(in), biases too.
void torch_defaults(Transformer& model, Random& random) {
  for (const auto& [name, tensor] : parameters(model)) {
    if (name.find("norm") != std::string::npos) continue;
    const bool table = name.find("embedding") != std::string::npos;
    const bool bias = name.ends_with("bias");
    const int in =
        bias ? (name.find("w_2") != std::string::npos ? 2048 : d_model) : tensor->size(-1);
    const double bound = 1 / std::sqrt(double(in));
    replace_each(*tensor,
                 [&](float) { return table ? random.normal() : random.uniform(-bound, bound); });
  }
}

class Toy {
 public:
  Toy(const ToyRun& run, std::uint64_t seed)
      : run_(run), pair_(pair_for(run)), none_(Random::none()), model_(config(), none_) {
    Random random(seed);
    torch_defaults(model_, random);
  }

  ToyResult train() {
    ToyResult result;
    Adam adam(parameters(model_), {.beta2 = 0.999, .epsilon = 1e-8});
    const Schedule schedule{.kind = ScheduleKind::constant, .peak = run_.lr, .warmup = run_.warmup};
    const Ids expected({7}, pair_.target_out);
    Gradients gradients;
    for (int update = 1; update <= run_.updates; ++update) {
      gradients.reset();
      Tape tape;
      const Tensor loss = cross_entropy_in_place(logits(pair_.target_in), expected);
      result.losses.push_back(loss.item());
      tape.backward(loss, gradients);
      adam.step(gradients, schedule(update));
    }
    Recorder recorder({"weights"});
    const Tensor last = logits(pair_.target_in);
    for (const char* place :
         {"encoder.layers.*.self_attention.weights", "decoder.layers.*.self_attention.weights",
          "decoder.layers.*.cross_attention.weights"})
      result.attention.push_back(slice(recorder.all(place).back(), 1, 0, 1));  // (1, 1, T, S)
    result.source = {"I", "like", "the", "2022", "Beijing", "Winter", "Games"};
    for (std::int32_t id : pair_.target_in.ids) result.target.push_back(word(id));
    result.losses.push_back(cross_entropy(last, expected).item());
    const std::vector<int> best = argmax(last);
    for (int t = 0; t < 7; ++t) result.forced.push_back(word(best[t]));
    result.translated = translate_greedily();
    return result;
  }

 private:
  TransformerConfig config() const {
    return {.source_vocabulary = 11,
            .target_vocabulary = static_cast<int>(pair_.words.size()),
            .d_model = d_model,
            .d_ff = 2048,
            .heads = 8,
            .encoder_layers = 6,
            .decoder_layers = 6,
            .dropout = 0,
            .norm = run_.norm,
            .output_bias = false,
            .scale_embeddings = run_.scaled};
  }

  Tensor logits(const Sentence& target) const {
    return model_({pair_.source.batch(), pair_.source.positions},
                  {target.batch(), target.positions});  // (1, T, V)
  }

  std::string word(int id) const { return pair_.words[static_cast<std::size_t>(id)]; }

  std::vector<std::string> translate_greedily() const {
    Sentence target{{pair_.start}, {pair_.target_in.positions[0]}};
    std::vector<std::string> words;
    for (int t = 0; t < 7; ++t) {
      const int next = argmax(logits(target))[t];
      words.push_back(word(next));
      if (next == pair_.end || t == 6) break;
      target.ids.push_back(next);
      target.positions.push_back(pair_.target_in.positions[static_cast<std::size_t>(t) + 1]);
    }
    return words;
  }

  ToyRun run_;
  Pair pair_;
  Random none_;  // the numbers come from torch_defaults()
  Transformer model_;
};

}  // namespace

ToyResult run_toy(const ToyRun& run, std::uint64_t seed) { return Toy(run, seed).train(); }

}  // namespace xf::lesson_07
