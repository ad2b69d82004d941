#include "07_transformer/program/maps.hpp"

#include "io/files.hpp"
#include "plot/heatmap.hpp"
#include "text/batches.hpp"

namespace xf {

namespace {

using Labels = std::vector<std::string>;

// One heatmap per layer and head of weights (1, H, T, S) per layer.
std::string grid(const std::string& title, const std::vector<Tensor>& layers, const Labels& rows,
                 const Labels& columns) {
  std::vector<Heatmap> maps;
  for (std::size_t layer = 0; layer < layers.size(); ++layer) {
    const Tensor& weights = layers[layer];
    const std::ptrdiff_t cells = weights.shape().count(2, 4);
    for (int head = 0; head < weights.size(1); ++head) {
      const float* first = weights.data() + head * cells;
      maps.push_back({.title = "layer " + std::to_string(layer) + ", head " + std::to_string(head),
                      .rows = rows,
                      .columns = columns,
                      .values = {first, first + cells},
                      .row_count = weights.size(2),
                      .column_count = weights.size(3),
                      .range = std::pair(0.0f, 1.0f)});
    }
  }
  return heatmap_grid_svg(title, maps, layers.front().size(1));
}

Labels pieces(const Tokenizer& tokenizer, const Ids& ids) {
  Labels labels;
  for (std::ptrdiff_t i = 0; i < ids.count(); ++i) labels.push_back(tokenizer.piece(ids.data()[i]));
  return labels;
}

}  // namespace

std::vector<std::string> draw_attention(const Translator& translator, const std::string& source,
                                        const std::string& target, const CommonOptions& options) {
  const std::vector<Example> pair{
      {translator.encode_source(source), translator.target_tokenizer.encode(target)}};
  const std::vector<int> first{0};
  const Batch batch = make_batch(pair, first);
  Recorder recorder({"weights"});
  translator.model(batch.source, batch.target_in);
  const Labels source_labels = pieces(translator.source_tokenizer, batch.source);
  const Labels target_labels = pieces(translator.target_tokenizer, batch.target_in);
  std::vector<std::string> paths;
  const auto write = [&](const std::string& file, const std::string& svg) {
    paths.push_back(output_path(options, file));
    write_file_atomically(paths.back(), svg);
  };
  write("attention_encoder.svg", grid("Encoder self-attention: source to source",
                                      recorder.all("encoder.layers.*.self_attention.weights"),
                                      source_labels, source_labels));
  write("attention_decoder.svg", grid("Decoder self-attention: target to its past",
                                      recorder.all("decoder.layers.*.self_attention.weights"),
                                      target_labels, target_labels));
  write("attention_cross.svg", grid("Cross attention: target to source",
                                    recorder.all("decoder.layers.*.cross_attention.weights"),
                                    target_labels, source_labels));
  return paths;
}

}  // namespace xf
