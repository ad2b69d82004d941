#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "autograd/observer.hpp"
#include "tensor/tensor.hpp"

namespace xf {

// Keeps intermediate values of a model, for pictures, lessons and traces. While a Recorder is alive
// on a thread, it keeps the values that layers mark with watch(), under paths like those of the
// parameters:
//
//   Recorder recorder({"weights"});
//   model(source, target);
//   recorder.of("decoder.layers.0.cross_attention.weights")   // (B, H, T, S)
//
// Without a Recorder, watch() and Scope only test a pointer. Values computed on other threads are
// not recorded.
class Recorder {
 public:
  struct Value {
    std::string path;
    Tensor tensor;  // unknown to any tape
  };

  // Keeps only the values whose paths end in one of these names; without names, keeps all values.
  explicit Recorder(std::vector<std::string> names = {});
  ~Recorder();  // reactivates the previously active recorder
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  // The recorder of this thread, or null.
  static Recorder* active() { return active_; }

  // In the order in which they were computed.
  const std::vector<Value>& values() const { return values_; }
  // The value recorded last under this path. Throws std::invalid_argument when there is none.
  const Tensor& of(std::string_view path) const;
  // All values recorded under matching paths, in order; * stands for any one part:
  //   recorder.all("encoder.layers.*.self_attention.weights")
  std::vector<Tensor> all(std::string_view pattern) const;

  bool wants(std::string_view name) const;
  // The current path of the layers: "decoder.layers.0.self_attention".
  std::string path() const;
  void add(std::string_view name, const Tensor& value);

 private:
  friend class Scope;
  void enter(std::string_view name);
  void leave();

  inline static constinit thread_local Recorder* active_ = nullptr;
  Recorder* previous_;
  std::vector<std::string> names_;
  std::vector<std::string> scopes_;  // the path so far; each part ends in a dot
  std::vector<Value> values_;
};

// Records `value` under `name` if a recorder wants it; traces use `name` as its label.
inline void watch(const char* name, const Tensor& value) {
  if (tape_observer) tape_observer->named(name, value);
  if (Recorder* recorder = Recorder::active()) recorder->add(name, value);
}
// Does a recorder want this value? Lets ops skip computing values that nobody records.
inline bool watched(const char* name) {
  return Recorder::active() && Recorder::active()->wants(name);
}

// While alive, appends this name to the paths of watched values: "encoder", or "layers.0".
class Scope {
 public:
  explicit Scope(const char* name) : recorder_(Recorder::active()) {
    if (recorder_) recorder_->enter(name);
  }
  Scope(const char* name, std::size_t i) : recorder_(Recorder::active()) {
    if (recorder_) recorder_->enter(std::string(name) + "." + std::to_string(i));
  }
  ~Scope() {
    if (recorder_) recorder_->leave();
  }
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

 private:
  Recorder* recorder_;
};

}  // namespace xf
