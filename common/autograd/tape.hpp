#pragma once

#include <functional>
#include <initializer_list>
#include <unordered_map>
#include <utility>
#include <vector>

#include "autograd/observer.hpp"
#include "tensor/tensor.hpp"

namespace xf {

// Reverse-mode differentiation. While a Tape is alive on a thread, every op on that thread whose
// input is tracked appends one entry: which inputs it had, and how to turn the gradient of its
// output into gradients of its inputs. backward() walks the list from its end. Without a Tape
// nothing is recorded, so a forward pass for inference costs nothing extra.
//
//   Tape tape;
//   Tensor loss = cross_entropy(model(source, target), expected);
//   Gradients gradients = tape.backward(loss);
//   gradients.of(model.output.weight)        // d loss / d weight

// The gradients of the parameters, summed over every backward() that was given this object.
class Gradients {
 public:
  // The gradient of `parameter`; an undefined tensor when the loss does not depend on it.
  const Tensor& of(const Tensor& parameter) const;
  // Starts the next sum at zero, but keeps the memory.
  void reset();

 private:
  friend class Tape;
  struct Sum {
    Tensor value;
    bool fresh = false;  // false: the numbers are from before reset()
  };
  std::unordered_map<int, Sum> sums_;  // by the leaf's number
};

// Where an op's backward puts the gradients of its inputs, numbered as in record().
class InputGradients;

using Backward = std::function<void(InputGradients& inputs, const Tensor& dy)>;

class Tape {
 public:
  Tape();   // becomes this thread's active tape
  ~Tape();  // reactivates the previously active tape
  Tape(const Tape&) = delete;
  Tape& operator=(const Tape&) = delete;

  // The tape that records on this thread, or null.
  static Tape* active();

  // Adds d loss / d parameter to `gradients` for every leaf that the loss depends on. The loss
  // must have one element and come from this tape; the tape is empty afterwards.
  void backward(const Tensor& loss, Gradients& gradients);
  Gradients backward(const Tensor& loss) {
    Gradients gradients;
    backward(loss, gradients);
    return gradients;
  }
  int size() const { return static_cast<int>(entries_.size()); }
  // Did an op recorded here return this handle?
  bool made(const Tensor& tensor) const { return tensor.node.tape == id_; }

 private:
  friend class InputGradients;
  friend Tensor append_entry(const Op&, Tensor, std::initializer_list<const Tensor*>, Backward);

  struct Entry {
    Op op = "leaf";
    std::vector<int> inputs;  // indices of entries; -1: no gradient wanted
    Backward backward;        // empty for a leaf
    Shape shape;              // of the tensor, and so of its gradient
    Tensor gradient;
    bool holds_garbage = false;  // a leaf's gradient is memory to reuse, not yet a sum
    bool leaf = false;
    Tensor gives = {};  // the leaf, and how often it had been written to
    std::uint32_t version = 0;
  };

  int index_of(const Tensor& tensor);

  std::uint64_t id_;
  Tape* previous_;
  std::vector<Entry> entries_;
  std::unordered_map<int, int> leaves_;  // a leaf's number, and its entry
};

class InputGradients {
 public:
  InputGradients(Tape& tape, const std::vector<int>& entries) : tape_(tape), entries_(entries) {}

  // Is the gradient of input i needed at all?
  bool wanted(int i) const { return entries_[static_cast<std::size_t>(i)] >= 0; }
  // Adds `gradient` to what input i has received so far. The tensor may be shared between
  // inputs: it is copied only when something has to be added to it. Throws std::invalid_argument
  // when it has not as many numbers as the input.
  void add(int i, Tensor gradient);
  // For ops that can add while they compute (gemm's beta): the tensor to write into, and whether
  // it holds a sum to be added to (otherwise its numbers are garbage to be overwritten).
  std::pair<Tensor, bool> accumulate(int i, const Shape& shape, Device device);

 private:
  Tape& tape_;
  const std::vector<int>& entries_;
};

// Will record() keep anything for these inputs? Ops ask before they save values for backward.
bool tracked(std::initializer_list<const Tensor*> inputs);
// Appends an entry to the active tape, which must track an input; returns y linked to that entry.
Tensor append_entry(const Op& op, Tensor y, std::initializer_list<const Tensor*> inputs,
                    Backward backward);
// An op without a backward ends with this: reports y to the tape's observer, and returns it.
inline Tensor report(const Op& op, Tensor y, std::initializer_list<const Tensor*> inputs) {
  if (tape_observer) tape_observer->forward(op, y, inputs);
  return y;
}
// Every other op ends with this: returns y, recorded on the active tape if there is one and it
// tracks an input. A template, so that without a tape the lambda is never converted to a Backward.
template <class Lambda>
Tensor record(const Op& op, Tensor y, std::initializer_list<const Tensor*> inputs,
              Lambda&& backward) {
  if (!tracked(inputs)) return report(op, std::move(y), inputs);
  return append_entry(op, std::move(y), inputs, std::forward<Lambda>(backward));
}

// Where an element-wise backward may write: the memory of `x` itself when it is not lent and no
// other handle shares it, fresh memory otherwise. The result is the same, but the step touches less
// memory.
inline Tensor reuse(const Tensor& x) {
  return x.sole_owner() && !x.lent() ? x.view(x.shape()) : Tensor::empty(x.shape(), x.device());
}

// Marks a tensor whose gradient is wanted, and returns it with a number, which its copies share.
// Its memory does not identify it: a detached handle has the same, and so may a later tensor.
Tensor parameter(Tensor tensor);
// The same numbers, but no gradient flows through them ("stop-gradient" in the literature).
inline Tensor detach(const Tensor& tensor) { return tensor.view(tensor.shape()); }

}  // namespace xf
