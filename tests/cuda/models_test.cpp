#include "07_transformer/search.hpp"
#include "07_transformer/transformer.hpp"
#include "ops/divergence/divergence.hpp"
#include "ops/matmul/precision.hpp"
#include "support/devices.hpp"
#include "support/language_models.hpp"
#include "text/packed_batch.hpp"
#include "train/adam.hpp"

// Whole models: what trains and translates on the emulated device does so as on the CPU.
namespace xf::test {

namespace {

struct Trajectory {
  std::vector<double> losses, norms;
  std::vector<std::pair<std::string, Tensor>> parameters;
};

#ifdef XF_WATCHED
constexpr int updates = 3;  // a watched kernel takes some twenty times as long
#else
constexpr int updates = 10;
#endif

// Updates of Adam; loss(update) is computed on a tape, with dropout.
template <class Model, class Loss>
Trajectory updated(Model& model, const Loss& loss) {
  Trajectory found;
  Adam adam(parameters(model));
  for (int update = 0; update < updates; ++update) {
    const Training training(static_cast<std::uint64_t>(update));
    Tape tape;
    const Tensor value = loss(update);
    found.losses.push_back(value.item());
    Gradients gradients = tape.backward(value);
    GradientSums sums = sum_of(parameters(model), gradients);
    found.norms.push_back(clip(sums, 1));
    adam.step(sums, 0.01);
  }
  for (const NamedParameter& p : parameters(model))
    found.parameters.emplace_back(p.name, p.tensor->to(Device::cpu));
  return found;
}

// The sums of a GPU's threads are rounded in another order. Measured over ten updates of all
// models: losses within 5e-7, norms within 2e-5, parameters within 2e-4 of the largest.
void expect_same_way(const Trajectory& got, const Trajectory& want) {
  for (std::size_t i = 0; i < want.losses.size(); ++i) {
    CHECK(got.losses[i] == doctest::Approx(want.losses[i]).epsilon(5e-6));
    CHECK(got.norms[i] == doctest::Approx(want.norms[i]).epsilon(1e-4));
  }
  for (std::size_t p = 0; p < want.parameters.size(); ++p) {
    // The bias of the keys shifts all scores of a query alike, which softmax does not see: its
    // gradient is 0 but for rounding, and Adam makes steps of its full size of that.
    if (want.parameters[p].first.ends_with("w_k.bias")) continue;
    expect_close(want.parameters[p].first, got.parameters[p].second, want.parameters[p].second,
                 1e-3);
  }
}

TransformerConfig tiny() {
  TransformerConfig config{.d_model = 12, .d_ff = 20, .heads = 3, .dropout = 0.1};
  config.source_vocabulary = config.target_vocabulary = 17;
  config.encoder_layers = config.decoder_layers = 2;
  config.norm = NormOrder::pre;
  config.activation = Activation::gelu;
  config.shared_embeddings = config.tied_output = true;
  return config;
}

// Sentences of 1 to 8 words, which are to be repeated backwards.
std::vector<Example> examples() {
  Random random(3);
  std::vector<Example> list;
  for (int i = 0; i < 12; ++i) {
    Example one;
    for (int word = 0; word <= i % 8; ++word) one.source.push_back(4 + random.below(13));
    one.target.assign(one.source.rbegin(), one.source.rend());
    one.source.push_back(eos_id);
    list.push_back(one);
  }
  return list;
}

struct Trained {
  Transformer model;
  Trajectory way;
};

Trained trained_translator(Device device) {
  const BornOn born(device);
  Random random(1);
  Trained result{Transformer(tiny(), random), {}};
  const std::vector<Example> list = examples();
  const PackedBatch batch = make_packed_batch(list, all_of(list));
  result.way = updated(result.model, [&](int update) {
    const auto logits = [&] { return result.model(batch.source, batch.target_in); };
    const CrossEntropyOptions options{.ignore = pad_id, .smoothing = 0.1f};
    if (update % 2 == 0) return cross_entropy_in_place(logits(), batch.target_out, options);
    const Tensor a = logits(), b = logits();  // two masks, drawn together
    return cross_entropy(a, batch.target_out, options) +
           symmetric_divergence(a, b, double(batch.target_tokens()));
  });
  return result;
}

}  // namespace

TEST_CASE("cuda: a translator takes the same way, update by update, under every schedule") {
  const Trained want = trained_translator(Device::cpu);
  CHECK(want.way.losses.back() < want.way.losses.front());
  std::vector<Tensor> first;
  under_schedules(
      [&] {
        const Trained got = trained_translator(Device::cuda);
        expect_same_way(got.way, want.way);
        // And the schedules change no bit: nothing is added up in the order in which threads come.
        if (first.empty())
          for (const auto& [name, tensor] : got.way.parameters) first.push_back(tensor);
        for (std::size_t p = 0; p < first.size(); ++p)
          expect_same(got.way.parameters[p].first, got.way.parameters[p].second, first[p]);
      },
      2);
}

TEST_CASE("cuda: a translator writes the same words, greedily and with a beam") {
  const Ids source({3, 5},
                   {5, 6, 7, eos_id, pad_id, 9, 8, eos_id, pad_id, pad_id, 4, 5, 16, 11, eos_id});
  const Trained here = trained_translator(Device::cpu), there = trained_translator(Device::cuda);
  for (int beam : {1, 3}) {
    const SearchOptions options{.beam = beam, .extra_length = 4};
    const auto want = translate(here.model, source, options);
    const BornOn born(Device::cuda);
    const auto got = translate(there.model, source, options);
    for (std::size_t i = 0; i < want.size(); ++i) {
      CHECK(got[i].tokens == want[i].tokens);
      CHECK(got[i].log_probability == doctest::Approx(want[i].log_probability).epsilon(1e-4));
    }
  }
}

namespace {

Trajectory language_way(Device device, const TransformerXlConfig& config) {
  const BornOn born(device);
  const Ids stream = random_ids({2, 31}, 9, 4);
  AnySegmentModel model = lively_model(config, 2);
  model.embedding_dropout = 0.1f;
  Memory memory = model.start();
  return updated(model, [&](int update) {
    const Ids ids = columns(stream, 3 * update, 3 * update + 3),
              next = columns(stream, 3 * update + 1, 3 * update + 4);
    return model.output.loss(model.hidden(ids, memory), next);
  });
}

}  // namespace

TEST_CASE("cuda: Transformer-XL takes the same way, with its memory, update by update") {
  for (const char* norm : {"post", "pre"})
    for (const char* cutoffs : {"", "4,6"}) {
      TransformerXlConfig c = small(norm);
      c.dropout = c.attention_dropout = 0.1;
      c.cutoffs = cutoffs;
      expect_same_way(language_way(Device::cuda, c), language_way(Device::cpu, c));
    }
}

namespace {

// How far the losses of two ways are apart at most, relative to the loss.
double apart(const Trajectory& got, const Trajectory& want) {
  double most = 0;
  for (std::size_t i = 0; i < want.losses.size(); ++i)
    most = std::max(most, std::abs(got.losses[i] / want.losses[i] - 1));
  return most;
}

}  // namespace

// A factor is off by up to 2^-8 of itself in bfloat16, by 2^-11 in TF32; over the sums of a product
// most of that cancels out. Adam's first steps go by the sign of a gradient, which is why the way
// is not eight times as near in TF32. Measured over ten updates: losses within 4e-4 in TF32, within
// 8e-4 in bfloat16.
TEST_CASE("cuda: with rounded factors both models take nearly the same way") {
  TransformerXlConfig c = small("pre");
  c.dropout = c.attention_dropout = 0.1;
  const Trajectory translator = trained_translator(Device::cpu).way,
                   language = language_way(Device::cpu, c);
  for (const auto& [precision, bound] :
       {std::pair{Precision::tf32, 1e-3}, {Precision::bf16, 2e-3}}) {
    const ProductPrecision used(precision);
    const double first = apart(trained_translator(Device::cuda).way, translator),
                 second = apart(language_way(Device::cuda, c), language);
    for (const double most : {first, second}) {
      CHECK(most < bound);
      CHECK(most > 5e-6);  // it is rounded
    }
  }
}

TEST_CASE("cuda: the models before it take the same way") {
  for (ModelKind kind : {ModelKind::vanilla, ModelKind::lstm}) {
    TransformerXlConfig c = small("post", kind);
    c.dropout = 0.1;
    expect_same_way(language_way(Device::cuda, c), language_way(Device::cpu, c));
  }
}

}  // namespace xf::test
