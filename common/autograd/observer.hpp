#pragma once

#include <initializer_list>

#include "tensor/tensor.hpp"

namespace xf {

// Watches the ops of every tape, for profiles. Each call comes from the thread that did the work,
// right after it: the time since the thread's call before is what the op took.
struct TapeObserver {
  virtual ~TapeObserver() = default;
  virtual void begin() = 0;  // a tape was made, or backward() starts its walk
  virtual void forward(const char* op, const Tensor& y,
                       std::initializer_list<const Tensor*> inputs) = 0;
  virtual void backward(const char* op, const Tensor& dy) = 0;
};

// Null: nobody watches. Set it only while no tape is alive.
inline TapeObserver* tape_observer = nullptr;

}  // namespace xf
