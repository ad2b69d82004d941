#include "seeing/heads_page.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "io/base64.hpp"
#include "page/page.hpp"
#include "plot/viridis.hpp"

namespace xf {

namespace {

using Json = nlohmann::json;

[[noreturn]] void disagree(const std::string& what) {
  throw std::invalid_argument("heads_page: " + what);
}

// The weights of all keys that each query may see, one byte each, layer by layer, head by head.
std::string bytes_of(const SeenText& text, const HeadsView& view) {
  const auto t = static_cast<int>(text.queries.size()), s = static_cast<int>(text.keys.size());
  if (std::ssize(text.weights) != view.layers) disagree("expected weights of each layer");
  std::string bytes;
  for (const Tensor& layer : text.weights) {
    const Shape wanted{1, view.heads, t, s};
    if (!(layer.shape() == wanted))
      disagree("weights " + wanted.str() + " wanted, not " + layer.shape().str());
    const Values weights = layer.values();
    for (int row = 0; row < view.heads * t; ++row)
      for (int key = 0; key < (text.causal ? row % t + 1 : s); ++key) {
        const auto weight = static_cast<double>(weights[std::ptrdiff_t(row) * s + key]);
        bytes += static_cast<char>(std::lround(255 * std::clamp(weight, 0.0, 1.0)));
      }
  }
  return bytes;
}

Json view_of(const HeadsView& view) {
  Json maps = Json::array(), texts = Json::array();
  for (const HeadMap& map : view.maps) {
    if (std::ssize(map.values) != std::ptrdiff_t(view.layers) * view.heads)
      disagree("expected a number for each head of " + map.name);
    Json rounded = Json::array();
    for (const double value : map.values) rounded.push_back(std::round(value * 1e4) / 1e4);
    maps.push_back({{"name", map.name}, {"values", std::move(rounded)}});
  }
  for (const SeenText& text : view.texts)
    texts.push_back({{"name", text.name},
                     {"queries", text.queries},
                     {"keys", text.keys},
                     {"causal", text.causal},
                     {"weights", base64(bytes_of(text, view))}});
  return {{"name", view.name},
          {"layers", view.layers},
          {"heads", view.heads},
          {"maps", std::move(maps)},
          {"texts", std::move(texts)}};
}

}  // namespace

std::string heads_html(const HeadsPage& page) {
  if (page.views.empty()) disagree("nothing to show");
  Json views = Json::array(), facts = Json::array();
  for (const HeadsView& view : page.views) views.push_back(view_of(view));
  for (const auto& [name, numbers] : page.facts)
    facts.push_back({{"name", name}, {"numbers", numbers}});
  const Json data{{"title", page.title},
                  {"text", page.text},
                  {"colours", base64(viridis_bytes())},
                  {"views", std::move(views)},
                  {"facts", std::move(facts)}};
  return html({.frame = "seen.html",
               .styles = {"page.css", "seen.css"},
               .scripts = {"text.js", "theme.js", "seen.js", "heads_words.js", "heads.js"},
               .title = page.title,
               .data = data.dump(-1, ' ', false, Json::error_handler_t::replace)});
}

int tokens_that_fit(int layers, int heads) {
  constexpr double most = 3e6;
  int tokens = 32;
  while (tokens > 2 && double(layers) * heads * tokens * (tokens + 1) / 2 * 4 / 3 > most) --tokens;
  return tokens;
}

}  // namespace xf
