#include "07_transformer/program/maps.hpp"

#include <algorithm>

#include "07_transformer/program/kept_candidates.hpp"
#include "io/files.hpp"
#include "io/safetensors.hpp"
#include "plot/beam_tree.hpp"
#include "plot/explorer.hpp"
#include "plot/svg.hpp"
#include "train/kept_weights.hpp"

namespace xf {

namespace {

using Labels = std::vector<std::string>;

// One heatmap per layer and head, of the last checkpoint.
std::string grid(const Phrase& title, const AttentionView& view) {
  const std::vector<AttentionLayer>& layers = view.checkpoints.back();
  std::vector<Heatmap> maps;
  for (std::size_t layer = 0; layer < layers.size(); ++layer) {
    const Tensor& weights = layers[layer].weights;  // (1, H, T, S)
    const Values values = weights.values();
    const std::ptrdiff_t cells = weights.shape().count(2, 4);
    for (int head = 0; head < weights.size(1); ++head) {
      const float* first = values.begin() + head * cells;
      maps.push_back(weights_map(words("layer {}, head {}", layer, head), view.queries, view.keys,
                                 {first, first + cells}));
    }
  }
  return heatmap_grid_svg(title, maps, layers.front().weights.size(1));
}

Labels pieces(const Tokenizer& tokenizer, const std::vector<std::int32_t>& ids) {
  Labels labels;
  for (const int id : ids) labels.push_back(tokenizer.piece(id));
  return labels;
}

// One sentence pair, and what a model computes from it.
struct Pair {
  Batch batch;
  std::vector<std::string> sentence;  // source and target, as they were given
  Labels source, target;              // target: the tokens read, beginning with <bos>

  Pair(const Translator& translator, const std::string& from, const std::string& to)
      : batch(make_batch({{translator.encode_source(from), translator.target_tokenizer.encode(to)}},
                         std::vector{0})),
        sentence{from, to},
        source(pieces(translator.source_tokenizer, batch.source.values())),
        target(pieces(translator.target_tokenizer, batch.target_in.values())) {}
};

// Adds the three kinds of attention of one model to the views, as a checkpoint.
void look(const Pair& pair, const Transformer& model, std::vector<AttentionView>& views) {
  Recorder recorder({"scores", "weights", "values"});
  model(pair.batch.source, pair.batch.target_in);
  for (AttentionView& view : views) {
    const bool encoder = view.kind == AttentionKind::encoder;
    const char* attention = view.kind == AttentionKind::cross ? "cross" : "self";
    view.checkpoints.push_back(recorded_attention(
        recorder,
        std::string(encoder ? "encoder" : "decoder") + ".layers.*." + attention + "_attention"));
  }
}

// Adds the candidates of the search, if it ends at the target.
void add_search(const Pair& pair, const Translator& translator, const SearchOptions& options,
                Explorer& page) {
  const Tokenizer& tokenizer = translator.target_tokenizer;
  std::vector<int> found = translate(translator.model, pair.batch.source, options,
                                     *translator.rules, kept_candidates(page.search, tokenizer))[0]
                               .tokens;
  found.push_back(eos_id);
  const std::vector<std::int32_t> wanted = pair.batch.target_out.values();
  if (std::equal(found.begin(), found.end(), wanted.begin(), wanted.end()))
    page.result = pieces(tokenizer, found);
  else
    page.search.clear();
}

Explorer explore(const Pair& pair, const Translator& translator, const std::string& directory,
                 const SearchOptions& search) {
  Explorer page{.title = "Attention: " + shortened(pair.sentence[0], 30),
                .sentence = pair.sentence,
                .checkpoints = {},
                .views = {{AttentionKind::encoder, pair.source, pair.source, {}},
                          {.kind = AttentionKind::decoder,
                           .queries = pair.target,
                           .keys = pair.target,
                           .checkpoints = {},
                           .reach = causal_reach(static_cast<int>(pair.target.size()))},
                          {AttentionKind::cross, pair.target, pair.source, {}}}};
  for (const KeptWeights& kept : kept_weights(directory)) {
    Translator earlier = load_description(directory, kept.path);
    load_parameters(kept.path, parameters(earlier.model));
    look(pair, earlier.model, page.views);
    page.checkpoints.push_back("update " + std::to_string(kept.update));
  }
  look(pair, translator.model, page.views);
  page.checkpoints.push_back("model");
  add_search(pair, translator, search, page);
  return page;
}

}  // namespace

Heatmap weights_map(const Phrase& title, const Labels& rows, const Labels& columns,
                    std::vector<float> weights) {
  return {.title = title,
          .rows = rows,
          .columns = columns,
          .values = std::move(weights),
          .row_count = static_cast<int>(rows.size()),
          .column_count = static_cast<int>(columns.size()),
          .range = std::pair(0.0f, 1.0f)};
}

std::vector<std::string> draw_attention(const Translator& translator, const std::string& directory,
                                        const std::string& source, const std::string& target,
                                        const SearchOptions& search, bool everything,
                                        const CommonOptions& options) {
  const Pair pair(translator, source, target);
  const Explorer page = explore(pair, translator, directory, search);
  std::vector<std::string> paths = {output_path(options, "attention.html")};
  write_explorer(page, paths.back(), everything);
  const auto write = [&](const std::string& file, const std::string& content) {
    paths.push_back(output_path(options, file));
    write_file_atomically(paths.back(), content);
  };
  write("attention_encoder.svg", grid("Encoder self-attention: source to source", page.views[0]));
  write("attention_decoder.svg", grid("Decoder self-attention: target to its past", page.views[1]));
  write("attention_cross.svg", grid("Cross attention: target to source", page.views[2]));
  if (!page.search.empty())
    write("beam.svg", beam_tree_svg("Beam search: the candidates at each step, with log p",
                                    page.search, page.result));
  return paths;
}

}  // namespace xf
