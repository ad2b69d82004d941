#include "seeing/lens_page.hpp"

#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "io/base64.hpp"
#include "io/printable.hpp"
#include "page/page.hpp"
#include "plot/viridis.hpp"

namespace xf {

namespace {

using Json = nlohmann::json;

// Four significant digits are enough for display.
Json shown(double number) {
  return std::isfinite(number) ? Json(std::stod(formatted("%.4g", number))) : Json(nullptr);
}

Json layer_of(const LensLayer& layer, std::size_t length) {
  if (layer.says.size() != length || layer.next.size() + 1 != length)
    throw std::invalid_argument("lens_page: each layer says something at every token");
  Json says = Json::array(), next = Json::array();
  for (const auto& words : layer.says) {
    Json list = Json::array();
    for (const auto& [word, p] : words) list.push_back({word, shown(p)});
    says.push_back(std::move(list));
  }
  for (const double p : layer.next) next.push_back(shown(p));
  return {{"says", std::move(says)},
          {"next", std::move(next)},
          {"nats", shown(layer.nats)},
          {"norm_first", shown(layer.norm_first)},
          {"norm_rest", shown(layer.norm_rest)},
          {"feature", layer.feature},
          {"feature_size", shown(layer.feature_size)},
          {"feature_times", shown(layer.feature_times)}};
}

}  // namespace

std::string lens_html(const LensPage& page) {
  Json layers = Json::array();
  for (const LensLayer& layer : page.layers) layers.push_back(layer_of(layer, page.tokens.size()));
  const Json data{{"title", page.title},
                  {"colours", base64(viridis_bytes())},
                  {"tokens", page.tokens},
                  {"layers", std::move(layers)}};
  return html({.frame = "seen.html",
               .styles = {"page.css", "seen.css"},
               .scripts = {"text.js", "theme.js", "seen.js", "lens_words.js", "lens.js"},
               .title = page.title,
               .data = data.dump(-1, ' ', false, Json::error_handler_t::replace)});
}

}  // namespace xf
