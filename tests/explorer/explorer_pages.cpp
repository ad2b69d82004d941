// explorer_pages FOLDER: writes the pages that explorer_test.py opens, and numbers.json, the
// numbers of small.html as the tensors have them.

#include <CLI/CLI.hpp>
#include <cmath>
#include <nlohmann/json.hpp>

#include "02_attention/attention.hpp"
#include "02_attention/mask.hpp"
#include "io/files.hpp"
#include "nn/init.hpp"
#include "plot/explorer.hpp"
#include "program/program.hpp"
#include "tensor/random.hpp"

namespace {

using namespace xf;
using Tokens = std::vector<std::string>;

// Tokens that a page must show as they are.
const Tokens hostile{"</script><script>document.title='run'</script>",
                     "<b>bold</b>",
                     "\"quoted\" & 'single'",
                     "\u200f\u202eabc",  // a right-to-left mark and override
                     "\x01\n\t",
                     "<!--",
                     "中文",
                     "\xff\xfe"};
const Tokens plain_source{"they", "watched", "the", "match", "the", "<eos>"};
const Tokens plain_target{"<bos>", "他们", "看", "了", "比赛"};

// One layer of attention over random numbers, as chapter 2 computes and records it.
AttentionLayer layer_of(int heads, int queries, int keys, int d_k, const Mask& mask,
                        Random& random) {
  Recorder recorder;
  attention(normal({1, heads, queries, d_k}, 1, random), normal({1, heads, keys, d_k}, 1, random),
            normal({1, heads, keys, d_k}, 1, random), mask);
  return {recorder.of("weights"), recorder.of("scores"), recorder.of("values")};
}

struct Sizes {
  int layers, heads, d_k, checkpoints = 1;
};

AttentionView view_of(AttentionKind kind, const Tokens& queries, const Tokens& keys,
                      const Sizes& sizes, Random& random) {
  const auto t = static_cast<int>(queries.size()), s = static_cast<int>(keys.size());
  const bool causal = kind == AttentionKind::decoder || kind == AttentionKind::xl;
  AttentionView view{.kind = kind, .queries = queries, .keys = keys, .checkpoints = {}};
  if (causal) view.reach = causal_reach(t, s - t);
  view.memory = kind == AttentionKind::xl ? s - t : 0;
  const Mask mask = causal ? Mask(causal_mask(t, s, s - t)) : Mask();
  for (int c = 0; c < sizes.checkpoints; ++c) {
    view.checkpoints.emplace_back();
    for (int layer = 0; layer < sizes.layers; ++layer)
      view.checkpoints.back().push_back(layer_of(sizes.heads, t, s, sizes.d_k, mask, random));
  }
  return view;
}

// As of relative attention, whose scores of the future are no numbers.
void leave_out_future(AttentionView& view) {
  for (auto& layers : view.checkpoints)
    for (AttentionLayer& layer : layers) {
      std::vector<float> scores = layer.scores.values();
      const auto t = view.queries.size(), s = view.keys.size();
      for (std::size_t n = 0; n < scores.size(); ++n)
        if (static_cast<int>(n % s) > view.reach[n / s % t].second) scores[n] = std::nanf("");
      layer.scores = Tensor::from(layer.scores.shape(), scores);
    }
}

Explorer small_page(Random& random) {
  const Sizes sizes{.layers = 2, .heads = 3, .d_k = 4, .checkpoints = 2};
  Explorer page{.title = "Small & <odd>",
                .sentence = {"they watched", "他们 看"},
                .checkpoints = {"update 0", "update 100"},
                .views = {}};
  page.views.push_back(view_of(AttentionKind::encoder, plain_source, plain_source, sizes, random));
  page.views.push_back(view_of(AttentionKind::decoder, plain_target, plain_target, sizes, random));
  page.views.push_back(view_of(AttentionKind::cross, plain_target, plain_source, sizes, random));
  Tokens keys{"m", "e", "m"};
  keys.insert(keys.end(), plain_target.begin(), plain_target.end());
  page.views.push_back(view_of(AttentionKind::xl, plain_target, keys, sizes, random));
  leave_out_future(page.views.back());
  page.views.back().next.assign(plain_target.size(), {{"看", 0.75}, {"</script>", 0.25}});
  using Fate = SearchCandidate::Fate;
  page.search = {{{{}, "他们", -0.1, -0.1, Fate::kept}, {{}, "<b>", -3, -3, Fate::dropped}},
                 {{{"他们"}, "看", -0.2, -0.3, Fate::kept}}};
  page.result = {"他们", "看"};
  return page;
}

Tokens numbered(int count) {
  Tokens tokens;
  for (int i = 0; i < count; ++i) tokens.push_back("token" + std::to_string(i % 17));
  return tokens;
}

Explorer of_size(const Tokens& tokens, const Sizes& sizes, bool all_kinds, Random& random) {
  Explorer page{.title = "Large", .sentence = {"a", "b"}, .checkpoints = {"trained"}, .views = {}};
  page.views.push_back(view_of(AttentionKind::encoder, tokens, tokens, sizes, random));
  if (!all_kinds) return page;
  page.views.push_back(view_of(AttentionKind::decoder, tokens, tokens, sizes, random));
  page.views.push_back(view_of(AttentionKind::cross, tokens, tokens, sizes, random));
  return page;
}

// [view][checkpoint][layer] of what the page was given; what is not a number is null.
nlohmann::json numbers_of(const Explorer& page) {
  nlohmann::json all;
  for (const AttentionView& view : page.views) {
    nlohmann::json one;
    for (const auto& layers : view.checkpoints) {
      nlohmann::json stored;
      for (const AttentionLayer& layer : layers)
        stored.push_back({{"weights", std::vector<float>(layer.weights.values())},
                          {"scores", std::vector<float>(layer.scores.values())},
                          {"values", std::vector<float>(layer.values.values())}});
      one.push_back(stored);
    }
    all.push_back(one);
  }
  return all;
}

void write_pages(const std::string& folder) {
  Random random(1);
  const auto write = [&](const std::string& name, const Explorer& page) {
    write_file_atomically(folder + name, explorer_html(page));
  };
  const Explorer small = small_page(random);
  write("small.html", small);
  write_file_atomically(folder + "numbers.json", numbers_of(small).dump());
  write("hostile.html", of_size(hostile, {.layers = 1, .heads = 2, .d_k = 4}, true, random));
  write("large.html", of_size(numbered(64), {.layers = 6, .heads = 8, .d_k = 64}, true, random));
  write("long.html", of_size(numbered(512), {.layers = 1, .heads = 4, .d_k = 32}, false, random));
}

}  // namespace

int main(int count, char** arguments) {
  return run_program([&] {
    CLI::App app("The pages that explorer_test.py opens, and numbers.json.");
    std::string folder;
    app.add_option("FOLDER", folder, "where they are written")->required();
    if (!parse(app, count, arguments)) return 0;
    write_pages(folder + "/");
    return 0;
  });
}
