#include "trace/trace_page.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "io/files.hpp"
#include "io/printable.hpp"
#include "language/language.hpp"
#include "page/page.hpp"
#include "speech/sections.hpp"

namespace xf {

namespace {

using Json = nlohmann::json;

constexpr int largest_corner = 12;  // how many rows and columns of a matrix are shown
constexpr int max_blocks = 4;       // how many matrices of a larger tensor are shown

// Four digits are enough for display; infinities and NaN become words.
Json shown(float number) {
  if (!std::isfinite(number)) return std::isnan(number) ? "nan" : number > 0 ? "inf" : "-inf";
  return std::stod(formatted("%.4g", static_cast<double>(number)));
}

Json shown(const std::vector<float>& numbers) {
  Json list = Json::array();
  for (const float number : numbers) list.push_back(shown(number));
  return list;
}

// Whether the page also draws the factors.
bool is_product(const TraceStep& step) {
  const std::string op = step.op.name;
  return op == "matmul" || op == "linear";
}

Json inputs_of(const TraceStep& step) {
  Json list = Json::array();
  for (const auto& [shape, number, name, given] : step.inputs) {
    list.push_back({{"shape", shape.str()}, {"step", number}, {"name", name}});
    if (is_product(step) && !given.empty()) list.back()["numbers"] = shown(given);
  }
  return list;
}

Json lines_of(const std::string& path) {
  Json lines = Json::array();
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

struct Running {
  std::string path;
  TracePage page;
  std::optional<TracePage> pass = {};  // shown instead
  std::optional<Trace> trace = {};
};
std::unique_ptr<Running> running;

}  // namespace

TracePage::TracePage(std::string title, int most, TraceWords words)
    : title_(std::move(title)), most_(most), words_(std::move(words)) {}

TracePage::Corner::Corner(const Shape& shape, const std::vector<float>& all) {
  const int rank = shape.rank(), all_columns = rank > 0 ? shape[-1] : 1,
            all_rows = rank > 1 ? shape[-2] : 1;
  rows = std::min(all_rows, largest_corner);
  columns = std::min(all_columns, largest_corner);
  const auto cells = std::ptrdiff_t(all_rows) * all_columns;
  blocks =
      static_cast<int>(std::min<std::ptrdiff_t>(max_blocks, cells > 0 ? shape.count() / cells : 0));
  if (all.empty()) return;
  for (int block = 0; block < blocks; ++block)
    for (int row = 0; row < rows; ++row)
      for (int column = 0; column < columns; ++column)
        numbers.push_back(all[static_cast<std::size_t>(
            block * cells + std::ptrdiff_t(row) * all_columns + column)]);
}

void TracePage::keep(const TraceStep& step, const std::vector<float>& numbers) {
  if (is_full()) {
    ++dropped_[step.op.name];
    return;
  }
  steps_.push_back({step, current_heading(), Corner(step.shape, numbers), Spread(numbers)});
  for (TraceStep::Input& input : steps_.back().step.inputs)
    input.numbers = Corner(input.shape, input.numbers).numbers;
}

void TracePage::add(const NamedParameter& parameter, const Gradients& gradients) {
  const std::size_t dot = parameter.name.rfind('.');
  const int number = steps_.empty() ? 1 : steps_.back().step.number + 1;
  TraceStep step{.number = number, .op = "parameter", .shape = parameter.tensor->shape()};
  *step.name = parameter.name.substr(dot + 1);
  step.scope = dot == std::string::npos ? "" : parameter.name.substr(0, dot);
  keep(step, parameter.tensor->values());
  const Tensor& gradient = gradients.of(*parameter.tensor);
  if (!gradient.defined()) return;
  step.backward = true;
  step.of = std::exchange(step.number, number + 1);
  keep(step, gradient.values());
}

std::string TracePage::html() const {
  Json steps = Json::array(), sources = Json::object();
  for (const auto& [step, section, corner, spread] : steps_) {
    steps.push_back({{"number", step.number},
                     {"backward", step.backward},
                     {"of", step.of},
                     {"op", step.op.name},
                     {"name", *step.name},
                     {"formula", step.op.forward},
                     {"backward_formula", step.op.backward},
                     {"scope", step.scope},
                     {"file", step.place.file},
                     {"line", step.place.line},
                     {"inputs", inputs_of(step)},
                     {"shape", step.shape.str()},
                     {"section", section},
                     {"blocks", corner.blocks},
                     {"rows", corner.rows},
                     {"columns", corner.columns},
                     {"numbers", shown(corner.numbers)},
                     {"spread", spread.str()}});
    if (!step.place.file.empty() && !sources.contains(step.place.file))
      sources[step.place.file] = lines_of(step.place.path);
  }
  const Json data{{"title", title_},
                  {"dropped", Json(dropped_)},
                  {"words", Json(words_)},
                  {"steps", steps},
                  {"sources", sources}};
  return xf::html({.frame = "trace.html",
                   .styles = {"page.css", "trace.css"},
                   .scripts = {"text.js", "theme.js", "trace_words.js", "trace_rows.js",
                               "trace_code.js", "trace_product.js", "trace.js"},
                   .title = title_,
                   .data = data.dump(-1, ' ', false, Json::error_handler_t::replace)});
}

int trace_pass(const std::string& path, const std::string& title,
               const std::vector<NamedParameter>& parameters, const TraceWords& words,
               const std::function<Gradients()>& pass) {
  TracePage page(translated(title), std::numeric_limits<int>::max(), words);
  Gradients gradients;
  int operations = 0;
  {
    const Trace::Sink keep = page.sink();
    const Trace trace(
        [&](const TraceStep& step, const std::vector<float>& numbers) {
          operations += !step.backward;
          keep(step, numbers);
        },
        parameters);
    gradients = pass();
  }
  for (const NamedParameter& parameter : parameters) page.add(parameter, gradients);
  write_file_atomically(path, page.html());
  if (running) running->pass = std::move(page);
  return operations;
}

void start_trace(bool print, const std::string& page, const std::string& title) {
  if (!print && page.empty()) return;
  if (!page.empty()) require_writable(page);
  running.reset(new Running{.path = page, .page = TracePage(translated(title))});
  const Trace::Sink printed = print_trace(stderr), kept = running->page.sink();
  running->trace.emplace(
      [=](const TraceStep& step, const std::vector<float>& numbers) {
        if (!section_speaks()) return;
        if (print) printed(step, numbers);
        if (!page.empty()) kept(step, numbers);
      },
      std::vector<NamedParameter>(),
      [print, filled = &running->page] { return print || !filled->is_full(); });
}

void finish_trace() {
  if (!running) return;
  running->trace.reset();
  if (!running->path.empty())
    write_file_atomically(running->path, running->pass.value_or(running->page).html());
  running.reset();
}

}  // namespace xf
