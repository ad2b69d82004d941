#include "io/trace.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "io/printable.hpp"

namespace xf {

namespace {

constexpr std::size_t most_remembered = 100000;

// What a line of code calls the result of `op`: "scores" in
//   const Tensor scores = matmul(q, k, Transpose::yes);
// Where the line does more than this op, the name is that of something else: then there is none.
std::string name_in(const std::string& code, const std::string& op) {
  const std::size_t equals = code.find(" = ");
  if (equals == std::string::npos || equals == 0) return "";
  const std::string right = code.substr(equals + 3);
  const bool sum = op == "add" && right.find(" + ") != std::string::npos;
  const bool call = right.starts_with(op + "(");
  const bool only = right.find('(') == right.rfind('(') && right.find(" + ") == std::string::npos;
  if (!sum && !call && !only) return "";
  if (code[equals - 1] == ']') return code.substr(code.find('['), equals - code.find('['));
  const std::size_t space = code.find_last_of(" .>(", equals - 1);
  return code.substr(space == std::string::npos ? 0 : space + 1, equals - space - 1);
}

std::string joined(const std::vector<Shape>& shapes) {
  std::string text;
  for (const Shape& shape : shapes) text += (text.empty() ? "" : " ") + shape.str();
  return text;
}

}  // namespace

std::string formula_of(const std::string& op) {
  static const std::map<std::string, std::string> formulas{
      {"add", "a + b"},
      {"attend_relative", "softmax(((q + u) k^T + shift((q + v) r^T)) / sqrt(d_k)) v"},
      {"concat", "[a ; b]"},
      {"cross_entropy", "-log softmax(x)[expected], the mean"},
      {"dropout", "x * kept / (1 - rate)"},
      {"embedding", "rows of the table"},
      {"gather_rows", "the chosen rows"},
      {"gelu", "x Phi(x)"},
      {"layer_norm", "gamma (x - mean) / sqrt(variance + eps) + beta"},
      {"linear", "x W^T + b"},
      {"matmul", "a b, or a b^T"},
      {"mean", "sum of x / count"},
      {"merge_heads", "(B, H, T, Dk) as (B, T, D)"},
      {"multiply", "a * b, element by element"},
      {"packed_attention", "softmax(q k^T / sqrt(d_k)) v, within each sentence"},
      {"relative_shift", "row i moves left by T - 1 - i"},
      {"relu", "max(0, x)"},
      {"reshape", "the same numbers, another shape"},
      {"scale", "c x"},
      {"sigmoid", "1 / (1 + e^-x)"},
      {"silu", "x / (1 + e^-x)"},
      {"slice", "a part of one axis"},
      {"softmax", "exp(c x_j) / sum_k exp(c x_k), where the mask allows"},
      {"split_heads", "(B, T, D) as (B, H, T, Dk)"},
      {"sum", "sum of x"},
      {"symmetric_divergence", "(KL(p | q) + KL(q | p)) / 2"},
      {"tanh", "tanh x"},
      {"transpose", "the last two axes swapped"},
      {"weighted_sum", "sum of w * x"}};
  const auto found = formulas.find(op);
  return found == formulas.end() ? "" : found->second;
}

Spread::Spread(const std::vector<float>& numbers)
    : least(std::numeric_limits<double>::infinity()), most(-least) {
  for (const float number : numbers) {
    if (!std::isfinite(number)) {
      ++not_finite;
      continue;
    }
    const auto value = static_cast<double>(number);
    ++count;
    mean += value;
    least = std::min(least, value);
    most = std::max(most, value);
  }
  if (count > 0) mean /= static_cast<double>(count);
}

std::string Spread::str() const {
  std::string result =
      count > 0 ? formatted("min %.4g  mean %.4g  max %.4g", least, mean, most) : "";
  if (not_finite > 0)
    result += (result.empty() ? "" : "  ") + std::to_string(not_finite) + " not finite";
  return result;
}

Trace::Trace(Sink sink) : sink_(std::move(sink)), scopes_({"nothing is kept"}) {
  tape_observer = this;
}

Trace::~Trace() { tape_observer = nullptr; }

void Trace::forward(const char* op, const Tensor& y, std::initializer_list<const Tensor*> inputs) {
  const Recorder* recorder = Recorder::active();
  std::lock_guard lock(mutex_);
  TraceStep step{.number = ++count_, .op = op, .place = places_.caller(), .shape = y.shape()};
  step.name = name_in(step.place.code, step.op);
  if (recorder) step.scope = recorder->path();
  for (const Tensor* input : inputs)
    if (input->defined()) step.inputs.push_back(input->shape());
  if (y.node.tape) made_.emplace(Node{y.node.tape, y.node.index}, step);
  if (made_.size() > most_remembered) made_.erase(made_.begin());  // of a tape without backward
  sink_(step, y.values());
}

void Trace::arrived(const char* op, const Tensor::Node& node, const Tensor& dy) {
  std::lock_guard lock(mutex_);
  const auto made = made_.find({node.tape, node.index});
  TraceStep step = made == made_.end() ? TraceStep{.op = op} : made->second;
  if (made != made_.end()) made_.erase(made);
  step.of = step.number;
  step.number = ++count_;
  step.backward = true;
  step.shape = dy.shape();
  sink_(step, dy.values());
}

Trace::Sink print_trace(std::FILE* file) {
  return [file](const TraceStep& step, const std::vector<float>& numbers) {
    const std::string spread = Spread(numbers).str();
    const std::string formula = formula_of(step.op);
    std::string title = step.backward
                            ? "gradient of " + step.op + ", step " + std::to_string(step.of)
                            : step.op + (formula.empty() ? "" : ": " + formula);
    if (!step.name.empty()) title = (step.backward ? "d " : "") + step.name + " = " + title;
    const std::string inputs = step.backward ? "" : joined(step.inputs) + " -> ";
    std::fprintf(file, "%6d  %s\n        %s%s   %s\n", step.number, title.c_str(), inputs.c_str(),
                 step.shape.str().c_str(), spread.c_str());
    if (step.backward) return;
    if (!step.place.file.empty())
      std::fprintf(file, "        %s:%d  %s\n", step.place.file.c_str(), step.place.line,
                   step.place.code.c_str());
    if (!step.scope.empty()) std::fprintf(file, "        in %s\n", step.scope.c_str());
  };
}

}  // namespace xf
