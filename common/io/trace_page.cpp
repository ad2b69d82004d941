#include "io/trace_page.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "io/files.hpp"
#include "io/page.hpp"
#include "io/printable.hpp"
#include "io/sections.hpp"

namespace xf {

namespace {

using Json = nlohmann::json;

constexpr int largest_corner = 12;  // rows and columns that are shown

// Four digits are enough to look at; what is not finite stays a word.
Json shown(float number) {
  if (!std::isfinite(number)) return std::isnan(number) ? "nan" : number > 0 ? "inf" : "-inf";
  return std::stod(formatted("%.4g", static_cast<double>(number)));
}

Json shapes(const std::vector<Shape>& all) {
  Json list = Json::array();
  for (const Shape& shape : all) list.push_back(shape.str());
  return list;
}

Json lines_of(const std::string& path) {
  Json lines = Json::array();
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

}  // namespace

TracePage::TracePage(std::string title, int most) : title_(std::move(title)), most_(most) {}

Trace::Sink TracePage::sink() {
  return [this](const TraceStep& step, const std::vector<float>& numbers) {
    if (static_cast<int>(steps_.size()) == most_) {
      ++dropped_;
      return;
    }
    const int rank = step.shape.rank(), all_columns = rank > 0 ? step.shape[-1] : 1,
              all_rows = rank > 1 ? step.shape[-2] : 1;
    const int rows = std::min(all_rows, largest_corner),
              columns = std::min(all_columns, largest_corner);
    std::vector<float> corner;
    for (int row = 0; row < rows; ++row)
      for (int column = 0; column < columns; ++column)
        corner.push_back(numbers[static_cast<std::size_t>(row) * all_columns + column]);
    steps_.push_back({step, std::move(corner), rows, columns, Spread(numbers)});
  };
}

std::string TracePage::html() const {
  Json steps = Json::array(), sources = Json::object();
  for (const auto& [step, corner, rows, columns, spread] : steps_) {
    Json numbers = Json::array();
    for (const float number : corner) numbers.push_back(shown(number));
    steps.push_back({{"number", step.number},
                     {"backward", step.backward},
                     {"of", step.of},
                     {"op", step.op},
                     {"name", step.name},
                     {"formula", formula_of(step.op)},
                     {"scope", step.scope},
                     {"file", step.place.file},
                     {"line", step.place.line},
                     {"inputs", shapes(step.inputs)},
                     {"shape", step.shape.str()},
                     {"rows", rows},
                     {"columns", columns},
                     {"numbers", std::move(numbers)},
                     {"spread", spread.str()}});
    if (!step.place.file.empty() && !sources.contains(step.place.file))
      sources[step.place.file] = lines_of(step.place.path);
  }
  const Json data{{"title", title_}, {"dropped", dropped_}, {"steps", steps}, {"sources", sources}};
  return xf::html({.frame = "trace.html",
                   .styles = {"page.css", "trace.css"},
                   .scripts = {"text.js", "trace_words.js", "trace.js"},
                   .title = title_,
                   .data = data.dump(-1, ' ', false, Json::error_handler_t::replace)});
}

namespace {

struct Running {
  std::string path;
  TracePage page{"Trace"};
  std::optional<Trace> trace;
};
std::unique_ptr<Running> running;

}  // namespace

void start_trace(bool print, const std::string& page) {
  if (!print && page.empty()) return;
  running = std::make_unique<Running>();
  running->path = page;
  const Trace::Sink printed = print_trace(stderr), kept = running->page.sink();
  running->trace.emplace([=](const TraceStep& step, const std::vector<float>& numbers) {
    if (!section_speaks()) return;
    if (print) printed(step, numbers);
    if (!page.empty()) kept(step, numbers);
  });
}

void finish_trace() {
  if (!running) return;
  running->trace.reset();
  if (!running->path.empty()) write_file_atomically(running->path, running->page.html());
  running.reset();
}

}  // namespace xf
