#pragma once

#include <cstdio>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "autograd/observer.hpp"
#include "autograd/recorder.hpp"
#include "nn/parameters.hpp"
#include "trace/places.hpp"

namespace xf {

// The minimum, mean and maximum of some numbers; those that are not finite are left out and counted
// separately.
struct Spread {
  double least = 0, mean = 0, most = 0;
  std::ptrdiff_t count = 0, not_finite = 0;

  explicit Spread(const std::vector<float>& numbers);
  std::string str() const;  // "min -1.5  mean 0.25  max 2"
};

// One traced operation.
struct TraceStep {
  struct Input {
    Shape shape;
    int step = 0;           // the number of the step that made it; 0: none
    std::string name = {};  // of a parameter
    // For an input that is neither: its numbers, to identify it.
    std::vector<float> numbers = {};
  };

  int number = 0;         // from 1
  bool backward = false;  // the gradient of the result of step `of` has arrived
  int of = 0;             // backward: the number of the forward step
  Op op = "";
  std::string scope = {};  // "decoder.layers.0.cross_attention"
  Place place = {};        // in the chapter
  std::vector<Input> inputs = {};
  Shape shape = {};  // of the result, or of its gradient
  // The chapter's name for the result, "scores"; empty until it calls watch(), if it does. All
  // copies of a step share it, and so does its gradient.
  std::shared_ptr<std::string> name = std::make_shared<std::string>();
};

// As long as a Trace exists, every op of this program is reported as it happens, forward and
// backward, as the tape sees it. Without one, the cost is one pointer test. An earlier observer
// still receives everything. (--trace of every program)
class Trace : public TapeObserver {
 public:
  // Receives each step. `numbers` are those of the result, or of the gradient.
  using Sink = std::function<void(const TraceStep& step, const std::vector<float>& numbers)>;
  // `known`: parameters, so that inputs can be named. If `wanted` returns false, a step has only
  // its number and its op, because the rest takes most of the time.
  explicit Trace(
      Sink sink, const std::vector<NamedParameter>& known = {},
      std::function<bool()> wanted = [] { return true; });
  ~Trace() override;
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;

  void begin() override;
  void forward(const Op& op, Tensor& y, std::initializer_list<const Tensor*> inputs) override;
  void named(const char* name, const Tensor& value) override;
  void arrived(const Op& op, const Tensor::Node& node, const Tensor& dy) override;
  void backward(const Op& op, const Tensor& dy) override;

 private:
  using Node = std::pair<std::uint64_t, int>;  // tape and index of the entry

  TraceStep::Input input_of(const Tensor& tensor) const;

  Sink sink_;
  std::function<bool()> wanted_;
  TapeObserver* previous_;
  std::map<const Storage*, std::string> known_;
  std::mutex mutex_;
  Recorder scopes_;  // keeps no values; knows the current path of the layers
  Places places_;
  std::map<Node, TraceStep> made_;  // those without a tape are dropped first, oldest first
  int count_ = 0;
};

// A sink that prints three lines per step.
Trace::Sink print_trace(std::FILE* file);

}  // namespace xf
