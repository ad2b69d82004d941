#pragma once

#include <initializer_list>

#include "tensor/tensor.hpp"

namespace xf {

// An op's name and the formulas it computes, kept short because traces display them.
struct Op {
  const char* name;
  const char* forward;   // "x W^T + b"
  const char* backward;  // "dx = dy W, ...", given the incoming gradient dy; "" if there is none

  constexpr Op(const char* called, const char* computes = "", const char* gradients = "")
      : name(called), forward(computes), backward(gradients) {}
};

// Observes the ops of every tape, for profiling. Each callback runs on the thread that did the
// work, right after it: the time since that thread's previous callback is the op's duration.
struct TapeObserver {
  virtual ~TapeObserver() = default;
  virtual void begin() = 0;  // a tape was made, or backward() begins
  // y.node identifies the op's entry on its tape. Without a tape, y.node.tape is 0 and the observer
  // may use y.node.index for its own purposes.
  virtual void forward(const Op& op, Tensor& y, std::initializer_list<const Tensor*> inputs) = 0;
  // dy is the gradient of the op's result, and the node is that result's. arrived() is called
  // before the op's backward, which may overwrite dy, and backward() after it.
  virtual void arrived(const Op&, const Tensor::Node&, const Tensor&) {}
  virtual void backward(const Op& op, const Tensor& dy) = 0;
  // The name that watch() gives to a computed value.
  virtual void named(const char*, const Tensor&) {}
};

// Null: no observer. Set it only while no tape is alive.
inline TapeObserver* tape_observer = nullptr;

}  // namespace xf
