#pragma once

#include <initializer_list>

#include "tensor/tensor.hpp"

namespace xf {

// An op's name, and what it computes, as short as possible. Traces show it.
struct Op {
  const char* name;
  const char* forward;   // "x W^T + b"
  const char* backward;  // "dx = dy W, ...", from the gradient dy that arrives; "": it has none

  constexpr Op(const char* called, const char* computes = "", const char* gradients = "")
      : name(called), forward(computes), backward(gradients) {}
};

// Watches the ops of every tape, for profiles. Each call comes from the thread that did the work,
// right after it: the time since that thread's previous call is the op's time.
struct TapeObserver {
  virtual ~TapeObserver() = default;
  virtual void begin() = 0;  // a tape was made, or backward() begins
  // y.node says where a tape has recorded the op; without a tape y.node.tape is 0, and y.node.index
  // is the observer's.
  virtual void forward(const Op& op, Tensor& y, std::initializer_list<const Tensor*> inputs) = 0;
  // dy is the gradient of the op's result, whose node this is: before the op's backward, which may
  // overwrite it, and after.
  virtual void arrived(const Op&, const Tensor::Node&, const Tensor&) {}
  virtual void backward(const Op& op, const Tensor& dy) = 0;
  // The name that watch() gives to a computed value.
  virtual void named(const char*, const Tensor&) {}
};

// Null: no observer. Set it only while no tape is alive.
inline TapeObserver* tape_observer = nullptr;

}  // namespace xf
