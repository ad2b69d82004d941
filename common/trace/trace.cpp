#include "trace/trace.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "io/printable.hpp"

namespace xf {

namespace {

using namespace std::string_literals;

constexpr std::size_t max_remembered = 100000;
std::atomic<int> without_tape = 0;  // results that are not on a tape

std::string shapes_of(const std::vector<TraceStep::Input>& inputs) {
  std::string text;
  for (const TraceStep::Input& input : inputs)
    text += (text.empty() ? "" : " ") + input.shape.str();
  return text;
}

}  // namespace

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

Trace::Trace(Sink sink, const std::vector<NamedParameter>& known, std::function<bool()> wanted)
    : sink_(std::move(sink)),
      wanted_(std::move(wanted)),
      previous_(tape_observer),
      scopes_({"nothing is kept"}) {
  for (const NamedParameter& one : known) known_.emplace(one.tensor->key(), one.name);
  tape_observer = this;
}

Trace::~Trace() { tape_observer = previous_; }

void Trace::begin() {
  if (previous_) previous_->begin();
}

void Trace::backward(const Op& op, const Tensor& dy) {
  if (previous_) previous_->backward(op, dy);
}

TraceStep::Input Trace::input_of(const Tensor& tensor) const {
  const auto made = made_.find({tensor.node.tape, tensor.node.index});
  if (made != made_.end() && !tensor.leaf) return {tensor.shape(), made->second.number};
  const auto known = known_.find(tensor.key());
  return {.shape = tensor.shape(), .name = known == known_.end() ? "" : known->second};
}

void Trace::forward(const Op& op, Tensor& y, std::initializer_list<const Tensor*> inputs) {
  if (previous_) previous_->forward(op, y, inputs);
  const Recorder* recorder = Recorder::active();
  std::lock_guard lock(mutex_);
  if (!wanted_()) return sink_({.number = ++count_, .op = op}, {});
  TraceStep step{
      .number = ++count_, .op = op, .place = places_.caller(op.name), .shape = y.shape()};
  if (recorder) step.scope = recorder->path();
  for (const Tensor* input : inputs)
    if (input->defined()) step.inputs.push_back(input_of(*input));
  if (y.node.index < 0) y.node.index = without_tape++;
  made_.emplace(Node{y.node.tape, y.node.index}, step);
  if (made_.size() > max_remembered) made_.erase(made_.begin());
  auto given = step.inputs.begin();
  for (const Tensor* input : inputs) {
    if (!input->defined()) continue;
    if (given->step == 0 && given->name.empty()) given->numbers = input->values();
    ++given;
  }
  sink_(step, y.values());
}

void Trace::named(const char* name, const Tensor& value) {
  if (previous_) previous_->named(name, value);
  std::lock_guard lock(mutex_);
  const auto made = made_.find({value.node.tape, value.node.index});
  if (made != made_.end() && made->second.name->empty()) *made->second.name = name;
}

void Trace::arrived(const Op& op, const Tensor::Node& node, const Tensor& dy) {
  if (previous_) previous_->arrived(op, node, dy);
  std::lock_guard lock(mutex_);
  if (!wanted_()) return sink_({.number = ++count_, .backward = true, .op = op}, {});
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
    std::string title =
        step.backward ? "gradient of "s + step.op.name + ", step " + std::to_string(step.of)
                      : ""s + step.op.name + (*step.op.forward ? ": "s + step.op.forward : "");
    if (step.backward && !step.name->empty()) title = "d " + *step.name + " = " + title;
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
