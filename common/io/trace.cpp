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
  if (code.find('{') < equals) return "";  // one of the arguments, on a line of its own
  const std::string right = code.substr(equals + 3);
  const bool sum = op == "add" && right.find(" + ") != std::string::npos;
  const bool call = right.starts_with(op + "(");
  const bool only = right.find('(') == right.rfind('(') && right.find(" + ") == std::string::npos;
  if (!sum && !call && !only) return "";
  if (code[equals - 1] == ']') return code.substr(code.find('['), equals - code.find('['));
  const std::size_t space = code.find_last_of(" .>(", equals - 1);
  return code.substr(space == std::string::npos ? 0 : space + 1, equals - space - 1);
}

std::string shapes_of(const std::vector<TraceStep::Input>& inputs) {
  std::string text;
  for (const TraceStep::Input& input : inputs)
    text += (text.empty() ? "" : " ") + input.shape.str();
  return text;
}

using Formulas = std::map<std::string, std::string>;

std::string entry_of(const Formulas& formulas, const std::string& op) {
  const auto found = formulas.find(op);
  return found == formulas.end() ? "" : found->second;
}

}  // namespace

std::string formula_of(const std::string& op) {
  static const Formulas formulas{
      {"add", "a + b"},
      {"append", "the new rows, below those that were kept"},
      {"attend_relative", "softmax(((q + u) k^T + shift((q + v) r^T)) / sqrt(d_k)) v"},
      {"attend_rows", "softmax(q k^T / sqrt(d_k)) v, k and v from the rows kept"},
      {"concat", "[a ; b]"},
      {"cross_entropy", "-log softmax(x)[expected], the mean"},
      {"dropout", "x * kept / (1 - rate)"},
      {"embedding", "rows of the table"},
      {"gather_rows", "the chosen rows"},
      {"gelu", "x Phi(x)"},
      {"keep", "the rows that somebody still looks at"},
      {"layer_norm", "gamma (x - mean) / sqrt(variance + eps) + beta"},
      {"linear", "x W^T + b"},
      {"log_likelihood", "log softmax(x)[expected], of each row"},
      {"log_softmax", "x - log sum_k exp(x_k)"},
      {"matmul", "a b, or a b^T"},
      {"merge_heads", "(B, H, T, Dk) as (B, T, D)"},
      {"multiply", "a * b, element by element"},
      {"packed_attention", "softmax(q k^T / sqrt(d_k)) v, within each sentence"},
      {"relative_shift", "row i moves left by T - 1 - i"},
      {"relu", "max(0, x)"},
      {"reshape", "the same numbers, another shape"},
      {"scale", "c x"},
      {"scale_rows", "row i of x, times w_i"},
      {"sigmoid", "1 / (1 + e^-x)"},
      {"silu", "x / (1 + e^-x)"},
      {"slice", "a part of one axis"},
      {"softmax", "exp(c x_j) / sum_k exp(c x_k), where the mask allows"},
      {"split_heads", "(B, T, D) as (B, H, T, Dk)"},
      {"sum", "sum of x"},
      {"symmetric_divergence", "(KL(p | q) + KL(q | p)) / 2"},
      {"tanh", "tanh x"},
      {"top_k", "the k largest numbers of each row"},
      {"transpose", "the last two axes swapped"},
      {"weighted_sum", "sum of w * x"}};
  return entry_of(formulas, op);
}

std::string backward_formula_of(const std::string& op) {
  static const Formulas formulas{
      {"add", "da = dy, db = dy"},
      {"attend_relative", "through v, the softmax, and both products of the scores"},
      {"concat", "each part of dy goes back where it came from"},
      {"cross_entropy", "dx = (softmax(x) - onehot(expected)) dy / count"},
      {"dropout", "dx = dy * kept / (1 - rate)"},
      {"embedding", "row dy_t is added to the row of its token"},
      {"gather_rows", "row dy_i is added to the row that was chosen"},
      {"gelu", "dx = dy (Phi(x) + x phi(x))"},
      {"layer_norm", "dx = (g - mean(g) - xhat mean(g xhat)) / std, g = gamma dy"},
      {"linear", "dx = dy W, dW = dy^T x, db = sum of dy over the rows"},
      {"matmul", "y = a b: da = dy b^T, db = a^T dy;  y = a b^T: da = dy b, db = dy^T a"},
      {"merge_heads", "dy as (B, H, T, Dk)"},
      {"multiply", "da = dy * b, db = dy * a"},
      {"packed_attention", "through v, the softmax, and the product of the scores"},
      {"relative_shift", "each number of dy goes back where it came from"},
      {"relu", "dx = dy where x > 0, else 0"},
      {"reshape", "dy in the shape of x"},
      {"scale", "dx = c dy"},
      {"scale_rows", "row i of dy, times w_i"},
      {"sigmoid", "dx = dy y (1 - y)"},
      {"silu", "dx = dy s (1 + x (1 - s)), s = sigmoid(x)"},
      {"slice", "dy in its place, 0 elsewhere"},
      {"softmax", "dx = c y (dy - sum_k dy_k y_k)"},
      {"split_heads", "dy as (B, T, D)"},
      {"sum", "dx = dy everywhere"},
      {"symmetric_divergence", "through both logarithms of both softmaxes"},
      {"tanh", "dx = dy (1 - y^2)"},
      {"transpose", "dx = dy^T"},
      {"weighted_sum", "dx = w dy"}};
  return entry_of(formulas, op);
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

Trace::Trace(Sink sink, const std::vector<NamedParameter>& known)
    : sink_(std::move(sink)), previous_(tape_observer), scopes_({"nothing is kept"}) {
  for (const NamedParameter& one : known) known_.emplace(one.tensor->key(), one.name);
  tape_observer = this;
}

Trace::~Trace() { tape_observer = previous_; }

void Trace::begin() {
  if (previous_) previous_->begin();
}

void Trace::backward(const char* op, const Tensor& dy) {
  if (previous_) previous_->backward(op, dy);
}

TraceStep::Input Trace::input_of(const Tensor& tensor) const {
  if (const auto made = made_.find({tensor.node.tape, tensor.node.index}); made != made_.end())
    return {tensor.shape(), made->second.number, made->second.name};
  const auto known = known_.find(tensor.key());
  return {.shape = tensor.shape(), .name = known == known_.end() ? "" : known->second};
}

void Trace::forward(const char* op, const Tensor& y, std::initializer_list<const Tensor*> inputs) {
  if (previous_) previous_->forward(op, y, inputs);
  const Recorder* recorder = Recorder::active();
  std::lock_guard lock(mutex_);
  TraceStep step{.number = ++count_, .op = op, .place = places_.caller(), .shape = y.shape()};
  step.name = name_in(step.place.code, step.op);
  if (recorder) step.scope = recorder->path();
  for (const Tensor* input : inputs)
    if (input->defined()) step.inputs.push_back(input_of(*input));
  if (y.node.tape) made_.emplace(Node{y.node.tape, y.node.index}, step);
  if (made_.size() > most_remembered) made_.erase(made_.begin());  // of a tape without backward
  sink_(step, y.values());
}

void Trace::arrived(const char* op, const Tensor::Node& node, const Tensor& dy) {
  if (previous_) previous_->arrived(op, node, dy);
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
    const std::string inputs =
        step.backward || step.inputs.empty() ? "" : shapes_of(step.inputs) + " -> ";
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
