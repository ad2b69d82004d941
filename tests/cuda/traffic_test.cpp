#include "07_transformer/search.hpp"
#include "07_transformer/transformer.hpp"
#include "ops/top_k/top_k.hpp"
#include "support/devices.hpp"
#include "support/language_models.hpp"
#include "text/packed_batch.hpp"
#include "train/adam.hpp"
#include "train/data_parallel.hpp"

// What passes between the host and the device while a model is trained.
namespace xf::test {

namespace {

cuda::Traffic between(const cuda::Traffic& before, const cuda::Traffic& after) {
  return {after.to_device - before.to_device, after.to_host - before.to_host,
          after.waits - before.waits, after.bytes_to_host - before.bytes_to_host};
}

Transformer tiny_translator() {
  TransformerConfig config{.d_model = 12, .d_ff = 20, .heads = 3, .dropout = 0.1};
  config.source_vocabulary = config.target_vocabulary = 17;
  config.encoder_layers = config.decoder_layers = 2;
  Random random(1);
  return Transformer(config, random);
}

// What each of `updates` updates has copied and waited for. loss(update) is that of a batch which
// no update had before.
template <class Model, class Loss>
std::vector<cuda::Traffic> traffic_of(Model& model, int updates, const Loss& loss) {
  Adam adam(parameters(model));
  DataParallel parallel;
  std::vector<cuda::Traffic> all;
  for (int update = 0; update < updates; ++update) {
    const cuda::Traffic before = cuda::traffic();
    const ShardLosses& mean =
        parallel.run(1, static_cast<std::uint64_t>(update), [&](int) { return loss(update); });
    GradientSums sums = sum_of(parameters(model), parallel.gradients(), &parallel.losses());
    clip(sums, 1);
    adam.step(sums, 0.01);
    CHECK(std::isfinite(mean));
    all.push_back(between(before, cuda::traffic()));
  }
  return all;
}

}  // namespace

TEST_CASE("cuda: an update of a translator copies its batch, one block of sums, and waits once") {
  const BornOn born(Device::cuda);
  Transformer model = tiny_translator();
  const auto traffic = traffic_of(model, 4, [&](int update) {
    std::vector<Example> examples;
    for (int i = 0; i < 3; ++i)
      examples.push_back({std::vector<int>(static_cast<std::size_t>(2 + update + i), 5),
                          std::vector<int>(static_cast<std::size_t>(4 + 2 * update + i), 6)});
    const PackedBatch batch = make_packed_batch(examples, std::vector<int>{0, 1, 2});
    return cross_entropy_in_place(model(batch.source, batch.target_in), batch.target_out,
                                  {.ignore = pad_id});
  });
  for (const cuda::Traffic& update : traffic) {
    // Three lists of ids, two of places, two of starts, and where the weights of the three kinds of
    // attention begin; which rows of each table's gradient belong to one word. What is the same
    // twice is copied once.
    CHECK(update.to_device <= 11);
    CHECK(update.to_host == 1);
    CHECK(update.waits == 1);
  }
}

TEST_CASE("cuda: a step of the search brings the best tokens of each row to the host, once") {
  const BornOn born(Device::cuda);
  Transformer model = tiny_translator();
  copy_into(model.output.bias, {-1e4f}, eos_id);  // it never ends
  const Ids source({2, 3}, {5, 6, eos_id, 7, 8, eos_id});
  for (int beam : {1, 3}) {
    const int steps = 2 * source.size(1) + 4;
    const cuda::Traffic before = cuda::traffic();
    translate(model, source, {.beam = beam, .extra_length = 4});
    const cuda::Traffic seen = between(before, cuda::traffic());
    CHECK(seen.to_host == steps);
    CHECK(seen.waits == steps);
    const int rows = 2 + (steps - 1) * 2 * beam, each = 2 * beam + 3;  // first, and after it
    CHECK(seen.bytes_to_host == std::size_t(rows * each) * sizeof(Placed));
  }
}

TEST_CASE("cuda: an update of Transformer-XL copies its segment, one block of sums, waits once") {
  for (float embedding_dropout : {0.0f, 0.2f}) {
    const BornOn born(Device::cuda);
    const Ids stream = random_ids({2, 31}, 9, embedding_dropout > 0 ? 4 : 5);
    AnySegmentModel model = lively_model(small("post"), 2);
    model.embedding_dropout = embedding_dropout;
    Memory memory = model.start();
    const auto traffic = traffic_of(model, 6, [&](int update) {
      return model.loss(columns(stream, 3 * update, 3 * update + 3),
                        columns(stream, 3 * update + 1, 3 * update + 4), memory);
    });
    for (std::size_t i = 3; i < traffic.size(); ++i) {  // the memory is full
      // The ids and those to come; which rows of the gradient belong to one word; and which words
      // are dropped.
      CHECK(traffic[i].to_device == (embedding_dropout > 0 ? 4 : 3));
      CHECK(traffic[i].to_host == 1);
      CHECK(traffic[i].waits == 1);
    }
  }
}

}  // namespace xf::test
