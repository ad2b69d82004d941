#include "plot/explorer.hpp"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "io/base64.hpp"
#include "io/files.hpp"
#include "language/language.hpp"
#include "page/page.hpp"
#include "plot/search_steps.hpp"
#include "plot/viridis.hpp"

namespace xf {

namespace {

using Json = nlohmann::json;
using Reach = std::vector<std::pair<int, int>>;

constexpr double steps = 65535;                 // of a 16-bit integer
constexpr std::ptrdiff_t max_values = 1 << 16;  // per view

[[noreturn]] void fail(const std::string& what) {
  throw std::invalid_argument("explorer: " + what);
}

// Numbers as { low, step, data }: base64 of 16-bit little-endian integers n, each low + step n.
Json block(const std::vector<float>& numbers, double low, double high) {
  const double step = high > low ? (high - low) / steps : 1;
  std::string bytes;
  bytes.reserve(2 * numbers.size());
  for (const float number : numbers) {
    const auto n = static_cast<unsigned>(
        std::clamp(std::round((static_cast<double>(number) - low) / step), 0.0, steps));
    bytes += static_cast<char>(n & 255);
    bytes += static_cast<char>(n >> 8);
  }
  return {{"low", low}, {"step", step}, {"data", base64(bytes)}};
}

Json block(const std::vector<float>& numbers) {
  if (numbers.empty()) return block(numbers, 0, 1);
  const auto [low, high] = std::minmax_element(numbers.begin(), numbers.end());
  return block(numbers, static_cast<double>(*low), static_cast<double>(*high));
}

// The cells of matrices (…, T, S) that the queries may see, row by row.
std::vector<float> within(const std::vector<float>& cells, const Reach& reach, int keys) {
  std::vector<float> seen;
  const auto rows = static_cast<std::ptrdiff_t>(cells.size()) / keys;
  for (std::ptrdiff_t row = 0; row < rows; ++row) {
    const auto [first, last] = reach[static_cast<std::size_t>(row) % reach.size()];
    const auto begin = cells.begin() + row * keys;
    seen.insert(seen.end(), begin + first, begin + last + 1);
  }
  return seen;
}

// Masked scores are kept if all of them are finite, as those of Q K^T are.
Json scores_of(const Tensor& scores, const Reach& reach) {
  const std::vector<float> cells = scores.values();
  const bool all =
      std::all_of(cells.begin(), cells.end(), [](float x) { return std::isfinite(x); });
  return block(all ? cells : within(cells, reach, scores.size(3)));
}

// The norm of each value.   v: (1, H, S, Dk)   returns H S numbers
std::vector<float> lengths_of(const Tensor& v) {
  const std::vector<float> numbers = v.values();
  const auto width = static_cast<std::size_t>(v.size(3));
  std::vector<float> lengths;
  for (std::size_t at = 0; at < numbers.size(); at += width) {
    double sum = 0;
    for (std::size_t i = at; i < at + width; ++i) sum += double(numbers[i]) * double(numbers[i]);
    lengths.push_back(static_cast<float>(std::sqrt(sum)));
  }
  return lengths;
}

Json layer_of(const AttentionLayer& layer, const Reach& reach, bool with_values) {
  Json json{{"weights", block(within(layer.weights.values(), reach, layer.weights.size(3)), 0, 1)}};
  if (layer.scores.defined()) json["scores"] = scores_of(layer.scores, reach);
  if (!layer.values.defined()) return json;
  json["lengths"] = block(lengths_of(layer.values));
  if (with_values) json["values"] = block(layer.values.values());
  return json;
}

void check(const AttentionView& view, std::size_t checkpoints) {
  const auto t = static_cast<int>(view.queries.size()), s = static_cast<int>(view.keys.size());
  if (view.checkpoints.size() != checkpoints || view.checkpoints.front().empty())
    fail("each checkpoint needs the layers of every view");
  if (!view.reach.empty() && view.reach.size() != view.queries.size())
    fail("one reach for each query");
  for (const auto& [first, last] : view.reach)
    if (first < 0 || last < first || last >= s) fail("a query reaches beyond the keys");
  const AttentionLayer& one = view.checkpoints.front().front();
  const Shape cells{1, one.weights.size(1), t, s};
  for (const auto& layers : view.checkpoints)
    for (const AttentionLayer& layer : layers) {
      if (!(layer.weights.shape() == cells) ||
          (layer.scores.defined() && !(layer.scores.shape() == cells)))
        fail("weights and scores " + cells.str() + " wanted for " + std::to_string(t) +
             " queries and " + std::to_string(s) + " keys, not " + layer.weights.shape().str());
      if (layer.scores.defined() != one.scores.defined() ||
          layer.values.defined() != one.values.defined())
        fail("some layers have scores or values, others have none");
    }
}

const char* name_of(AttentionKind kind) {
  static constexpr const char* names[] = {"encoder", "decoder", "cross", "xl"};
  return names[static_cast<int>(kind)];
}

// 1 / sqrt(Dk), by which the page scales the scores.
double scale_of(const AttentionLayer& layer) {
  return layer.values.defined() ? 1 / std::sqrt(double(layer.values.size(3))) : 1;
}

Json view_of(const AttentionView& view) {
  const auto t = static_cast<int>(view.queries.size()), s = static_cast<int>(view.keys.size());
  const Reach reach = view.reach.empty() ? Reach(view.queries.size(), {0, s - 1}) : view.reach;
  const AttentionLayer& one = view.checkpoints.front().front();
  const auto layers = static_cast<std::ptrdiff_t>(view.checkpoints.front().size());
  const std::ptrdiff_t values = one.values.defined() ? one.values.count() : 0;
  const bool with_values =
      values * layers * static_cast<std::ptrdiff_t>(view.checkpoints.size()) <= max_values;
  Json json{{"kind", name_of(view.kind)}, {"name", view.name},     {"queries", view.queries},
            {"keys", view.keys},          {"layers", layers},      {"heads", one.weights.size(1)},
            {"memory", view.memory},      {"scale", scale_of(one)}};
  for (int i = 0; i < t; ++i)
    for (const int end :
         {reach[static_cast<std::size_t>(i)].first, reach[static_cast<std::size_t>(i)].second})
      json["reach"].push_back(end);
  for (const auto& checkpoint : view.checkpoints) {
    Json stored = Json::array();
    for (const AttentionLayer& layer : checkpoint)
      stored.push_back(layer_of(layer, reach, with_values));
    json["checkpoints"].push_back(std::move(stored));
  }
  if (!view.next.empty()) json["next"] = view.next;
  if (!view.layer_numbers.empty()) json["layer_numbers"] = view.layer_numbers;
  return json;
}

Json search_of(const Explorer& explorer) {
  if (explorer.search.empty()) return nullptr;
  return {{"steps", search_steps(explorer.search)}, {"result", explorer.result}};
}

std::ptrdiff_t numbers_in(const Explorer& page) {
  std::ptrdiff_t total = 0;
  for (const AttentionView& view : page.views) {
    const auto queries = static_cast<std::ptrdiff_t>(view.queries.size());
    std::ptrdiff_t seen = view.reach.empty() ? queries * std::ptrdiff_t(view.keys.size()) : 0;
    for (const auto& [first, last] : view.reach) seen += last - first + 1;
    for (const auto& layers : view.checkpoints)
      for (const AttentionLayer& layer : layers)
        total += seen * layer.weights.size(1) * (layer.scores.defined() ? 2 : 1);
  }
  return total;
}

// Keeps `count` layers of each checkpoint: the last one, and others evenly spaced before it.
void keep_layers(AttentionView& view, std::size_t count) {
  std::vector<int> kept;
  for (auto& layers : view.checkpoints) {
    if (layers.size() <= count) return;
    std::vector<AttentionLayer> some;
    kept.clear();
    for (std::size_t i = 1; i <= count; ++i) {
      const std::size_t at = i * layers.size() / count - 1;
      some.push_back(std::move(layers[at]));
      kept.push_back(view.layer_numbers.empty() ? int(at) : view.layer_numbers[at]);
    }
    layers = std::move(some);
  }
  view.layer_numbers = kept;
}

// x: (1, H, ...)   returns (1, count, ...)
Tensor first_heads(const Tensor& x, int count) {
  if (!x.defined() || x.size(1) <= count) return x;
  std::vector<float> numbers = x.values();
  numbers.resize(numbers.size() / static_cast<std::size_t>(x.size(1)) *
                 static_cast<std::size_t>(count));
  return Tensor::from({1, count, x.size(2), x.size(3)}, numbers);
}

Json left_out(const LeftOut& out) {
  if (!out.anything()) return nullptr;
  return {{"checkpoints", out.checkpoints},
          {"scores", out.scores},
          {"layers", out.layers},
          {"heads", out.heads}};
}

}  // namespace

std::vector<AttentionLayer> recorded_attention(const Recorder& recorder, const std::string& path) {
  const std::vector<Tensor> weights = recorder.all(path + ".weights");
  const std::vector<Tensor> scores = recorder.all(path + ".scores");
  const std::vector<Tensor> values = recorder.all(path + ".values");
  std::vector<AttentionLayer> layers;
  for (std::size_t i = 0; i < weights.size(); ++i)
    layers.push_back({weights[i], scores.size() == weights.size() ? scores[i] : Tensor(),
                      values.size() == weights.size() ? values[i] : Tensor()});
  return layers;
}

std::vector<std::pair<int, int>> causal_reach(int queries, int memory) {
  Reach reach;
  for (int i = 0; i < queries; ++i) reach.emplace_back(0, memory + i);
  return reach;
}

std::string LeftOut::sentence(const std::string& path) const {
  std::vector<Words> parts;
  if (checkpoints) parts.push_back("earlier checkpoints");
  if (scores) parts.push_back("the scores before the softmax");
  if (layers) parts.push_back(words("all layers of a view but {}", layers));
  if (heads) parts.push_back(words("all heads of a layer but {}", heads));
  std::string list;
  for (const Words& part : parts) list += (list.empty() ? "" : translated(", ")) + part.str();
  return words("{}: the text is long, and the page leaves out {} (--everything keeps them)", path,
               list);
}

void thin(Explorer& page, std::ptrdiff_t most) {
  LeftOut& out = page.left_out;
  if (numbers_in(page) > most && page.checkpoints.size() > 1) {
    out.checkpoints = true;
    page.checkpoints.erase(page.checkpoints.begin(), page.checkpoints.end() - 1);
    for (AttentionView& view : page.views)
      view.checkpoints.erase(view.checkpoints.begin(), view.checkpoints.end() - 1);
  }
  const auto layers_of = [](AttentionView & view) -> auto& { return view.checkpoints.back(); };
  if (numbers_in(page) > most) {
    out.scores = true;
    for (AttentionView& view : page.views)
      for (AttentionLayer& layer : layers_of(view)) layer.scores = {};
  }
  std::size_t layers = 0;
  int heads = 0;
  for (AttentionView& view : page.views) {
    layers = std::max(layers, layers_of(view).size());
    heads = std::max(heads, layers_of(view).front().weights.size(1));
  }
  while (numbers_in(page) > most && layers > 1) {
    layers = (layers + 1) / 2;
    out.layers = static_cast<int>(layers);
    for (AttentionView& view : page.views) keep_layers(view, layers);
  }
  while (numbers_in(page) > most && heads > 1) {
    heads = (heads + 1) / 2;
    out.heads = heads;
    for (AttentionView& view : page.views)
      for (AttentionLayer& layer : layers_of(view)) {
        layer.weights = first_heads(layer.weights, heads);
        layer.values = first_heads(layer.values, heads);
      }
  }
}

std::string explorer_html(const Explorer& explorer) {
  if (explorer.views.empty() || explorer.checkpoints.empty()) fail("nothing to show");
  Json views = Json::array();
  for (const AttentionView& view : explorer.views) {
    check(view, explorer.checkpoints.size());
    views.push_back(view_of(view));
  }
  const Json data{{"schema", 1},
                  {"title", explorer.title},
                  {"sentence", explorer.sentence},
                  {"checkpoints", explorer.checkpoints},
                  {"colours", base64(viridis_bytes())},
                  {"views", std::move(views)},
                  {"search", search_of(explorer)},
                  {"left_out", left_out(explorer.left_out)}};
  return html({.frame = "explorer.html",
               .styles = {"page.css", "explorer.css"},
               .scripts = {"text.js", "words.js", "theme.js", "numbers.js", "state.js",
                           "picture.js", "panels.js", "pointing.js", "controls.js"},
               .title = explorer.title,
               .data = data.dump(-1, ' ', false, Json::error_handler_t::replace)});
}

void write_explorer(Explorer explorer, const std::string& path, bool everything) {
  if (!everything) thin(explorer);
  write_file_atomically(path, explorer_html(explorer));
  if (explorer.left_out.anything()) std::cerr << explorer.left_out.sentence(path) << '\n';
}

}  // namespace xf
