#include "autograd/tape.hpp"

#include <atomic>
#include <stdexcept>
#include <utility>

namespace xf {

namespace {

thread_local Tape* active_tape = nullptr;
std::atomic<std::uint64_t> next_id{1};
constexpr std::uint64_t no_tape = ~std::uint64_t{0};  // in the place of a leaf's tape
std::atomic<int> next_leaf{0};

const Tensor no_gradient;

// While alive, nothing is recorded. The ops that a backward calls on saved tensors would otherwise
// lengthen the list that is being walked.
struct Unrecorded {
  Tape* before = std::exchange(active_tape, nullptr);
  Unrecorded() = default;
  ~Unrecorded() { active_tape = before; }
  Unrecorded(const Unrecorded&) = delete;
  Unrecorded& operator=(const Unrecorded&) = delete;
};

}  // namespace

Tensor parameter(Tensor tensor) {
  if (!tensor.leaf) tensor.node = {no_tape, next_leaf++};
  tensor.leaf = true;
  return tensor;
}

const Tensor& Gradients::of(const Tensor& parameter) const {
  const auto found = parameter.leaf ? sums_.find(parameter.node.index) : sums_.end();
  return found == sums_.end() || !found->second.fresh ? no_gradient : found->second.value;
}

void Gradients::reset() {
  for (auto& [key, sum] : sums_) sum.fresh = false;
}

Tape::Tape() : id_(next_id++), previous_(active_tape) {
  active_tape = this;
  if (tape_observer) tape_observer->begin();
}

// Usually it is the innermost; otherwise it leaves the chain.
Tape::~Tape() {
  for (Tape** one = &active_tape; *one; one = &(*one)->previous_)
    if (*one == this) {
      *one = previous_;
      return;
    }
}

Tape* Tape::active() { return active_tape; }

// The entry that made `tensor`, a leaf's own entry (made on first sight), or -1 for a constant.
int Tape::index_of(const Tensor& tensor) {
  if (tensor.node.tape == id_) return tensor.node.index;
  if (!tensor.leaf) return -1;
  const auto [found, is_new] = leaves_.try_emplace(tensor.node.index, size());
  if (is_new) {
    entries_.emplace_back().leaf = true;
    entries_.back().shape = tensor.shape();
    entries_.back().gives = detach(tensor);
    entries_.back().version = tensor.version();
  }
  return found->second;
}

void Tape::backward(const Tensor& loss, Gradients& gradients) {
  if (loss.node.tape != id_)
    throw std::invalid_argument("backward: the loss was not recorded on this tape");
  if (loss.count() != 1)
    throw std::invalid_argument("backward: one number wanted, the loss is " + loss.shape().str());

  for (const Entry& entry : entries_)
    if (entry.leaf && entry.gives.version() != entry.version)
      throw std::invalid_argument("backward: a parameter " + entry.shape.str() +
                                  " was changed after it was used");

  // However it ends, the tape is empty then. After an exception there are no sums.
  struct End {
    Tape& tape;
    Gradients& gradients;
    bool whole = false;
    ~End() {
      for (const auto& [key, index] : tape.leaves_) {
        Entry& entry = tape.entries_[static_cast<std::size_t>(index)];
        Gradients::Sum& sum = gradients.sums_[key];
        sum.fresh = whole && entry.gradient.defined() && !entry.holds_garbage;
        sum.value = std::move(entry.gradient);
      }
      tape.entries_.clear();
      tape.leaves_.clear();
      tape.id_ = next_id++;  // handles to the old entries are constants from now on
    }
  } end{*this, gradients};

  // A leaf's gradient starts from the sum of earlier backward() calls, or reuses its memory.
  for (const auto& [key, index] : leaves_) {
    Gradients::Sum& sum = gradients.sums_[key];
    Entry& entry = entries_[static_cast<std::size_t>(index)];
    entry.gradient = std::move(sum.value);
    entry.holds_garbage = entry.gradient.defined() && !sum.fresh;
  }
  entries_[static_cast<std::size_t>(loss.node.index)].gradient =
      Tensor::full(loss.shape(), 1.0f, loss.device());
  if (tape_observer) tape_observer->begin();

  const Unrecorded unrecorded;
  for (std::size_t i = entries_.size(); i-- > 0;) {
    Entry& entry = entries_[i];
    if (entry.leaf) continue;
    const Tensor dy = std::move(entry.gradient);
    if (dy.defined()) {
      if (tape_observer) tape_observer->arrived(entry.op, {id_, static_cast<int>(i)}, dy);
      InputGradients inputs(*this, entry.inputs);
      entry.backward(inputs, dy);
    }
    entry.backward = nullptr;  // frees what the op saved
    if (tape_observer && dy.defined()) tape_observer->backward(entry.op, dy);
  }
  end.whole = true;
}

void InputGradients::add(int i, Tensor gradient) {
  if (!wanted(i)) return;
  Tape::Entry& entry =
      tape_.entries_[static_cast<std::size_t>(entries_[static_cast<std::size_t>(i)])];
  if (gradient.count() != entry.shape.count())
    throw std::invalid_argument("backward: the gradient " + gradient.shape().str() +
                                " is not that of a tensor " + entry.shape.str());
  const bool first = !entry.gradient.defined() || entry.holds_garbage;
  if (first && !entry.leaf) {
    entry.gradient = std::move(gradient);
  } else if (first) {  // a leaf's sum must not share memory with another tensor
    entry.gradient = gradient.sole_owner() ? std::move(gradient) : gradient.clone();
  } else {
    if (!entry.gradient.sole_owner()) entry.gradient = entry.gradient.clone();
    accumulate_into(entry.gradient, gradient);
  }
  entry.holds_garbage = false;
}

std::pair<Tensor, bool> InputGradients::accumulate(int i, const Shape& shape, Device device) {
  Tape::Entry& entry =
      tape_.entries_[static_cast<std::size_t>(entries_[static_cast<std::size_t>(i)])];
  const bool has_sum = entry.gradient.defined() && !entry.holds_garbage;
  if (has_sum && !entry.gradient.sole_owner()) entry.gradient = entry.gradient.clone();
  if (!has_sum && !entry.gradient.sole_owner()) entry.gradient = Tensor::empty(shape, device);
  entry.holds_garbage = false;
  return {entry.gradient, has_sum};
}

bool tracked(std::initializer_list<const Tensor*> inputs) {
  if (!active_tape) return false;
  for (const Tensor* input : inputs)
    if (input->leaf || active_tape->made(*input)) return true;
  return false;
}

Tensor append_entry(const Op& op, Tensor y, std::initializer_list<const Tensor*> inputs,
                    Backward backward) {
  Tape& tape = *active_tape;
  Tape::Entry entry;
  entry.op = op;
  entry.shape = y.shape();
  entry.inputs.reserve(inputs.size());
  for (const Tensor* input : inputs) entry.inputs.push_back(tape.index_of(*input));
  entry.backward = std::move(backward);
  tape.entries_.push_back(std::move(entry));
  y.node = {tape.id_, tape.size() - 1};
  y.leaf = false;
  if (tape_observer) tape_observer->forward(op, y, inputs);
  return y;
}

}  // namespace xf
