#include "08_transformer_xl/experiments/recall.hpp"

#include "ops/reduce/reduce.hpp"

namespace xf::lesson_08 {

Episodes::Episodes(int rows, Random& random, int segment)
    : first(Ids::full({rows, segment}, 0)),
      second(Ids::full({rows, segment}, 0)),
      expected(Ids::full({rows, segment}, -1)) {
  for (int i = 0; i < rows * segment; ++i) {
    first[i] = first_noise + random.below(letters);
    second[i] = first_noise + random.below(letters);
  }
  for (int row = 0; row < rows; ++row) {
    const std::int32_t secret = first_secret + random.below(letters);
    secrets.push_back(random.below(segment));
    asked.push_back(random.below(segment - 1));
    first[row * segment + secrets.back()] = secret;
    second[row * segment + asked.back()] = ask;
    second[row * segment + asked.back() + 1] = secret;
    expected[row * segment + asked.back()] = secret;
  }
}

std::string Episodes::name_of(std::int32_t id) {
  if (id == ask) return "?";
  return id >= first_secret ? std::string(1, static_cast<char>('A' + id - first_secret))
                            : std::string(1, static_cast<char>('a' + id - first_noise));
}

std::vector<std::string> Episodes::names(const Ids& ids) {
  std::vector<std::string> list;
  for (const std::int32_t id : ids) list.push_back(name_of(id));
  return list;
}

Tensor Episodes::logits(const AnySegmentModel& model) const {
  Memory memory = model.start();
  model.hidden(first, memory);
  return model(second, memory);
}

int Episodes::right(const Tensor& scores) const {
  int count = 0;
  const int rows = second.size(0), segment = second.size(1);
  const std::vector<int> best = argmax(scores);
  for (int row = 0; row < rows; ++row) {
    const int place = row * segment + asked[static_cast<std::size_t>(row)];
    count += best[static_cast<std::size_t>(place)] == expected[place];
  }
  return count;
}

TransformerXlConfig recall_sizes(int segment) {
  return {.vocabulary = Episodes::vocabulary,
          .d_model = 32,
          .d_ff = 64,
          .heads = 2,
          .layers = 2,
          .segment = segment,
          .memory = segment,
          .dropout = 0,
          .attention_dropout = 0};
}

RecallTraining::RecallTraining(AnySegmentModel& model, std::uint64_t seed, int updates)
    : model_(model),
      seed_(seed),
      updates_(updates),
      adam_(parameters(model), {.beta2 = 0.999, .epsilon = 1e-8}),
      random_(seed, 4) {}

double RecallTraining::step() {
  const int update = adam_.steps() + 1, segment = model_.config.segment;
  const Episodes halves[] = {Episodes(batch / 2, random_, segment),
                             Episodes(batch / 2, random_, segment)};
  const double loss = parallel_.run(2, seed_ + static_cast<std::uint64_t>(update), [&](int i) {
    return cross_entropy_in_place(halves[i].logits(model_), halves[i].expected, {.divisor = batch});
  });
  GradientSums sums = sum_of(parameters(model_), parallel_.gradients());
  clip(sums, 1);
  adam_.step(sums, schedule_(update, double(update) / updates_));
  return loss;
}

}  // namespace xf::lesson_08
