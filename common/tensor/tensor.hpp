#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "tensor/device.hpp"
#include "tensor/shape.hpp"
#include "tensor/storage.hpp"

namespace xf {

class Values;

// A float32 array of up to 5 axes: contiguous, row-major, on one device. A Tensor is a cheap
// handle: a copy shares the numbers. Ops never change their inputs, so sharing is safe; only
// kernels write through data(), and copy_into() where a parameter is changed by hand.
class Tensor {
 public:
  Tensor() = default;  // undefined: defined() is false

  // Uninitialised. Throws std::invalid_argument for more bytes than can be addressed, and
  // std::bad_alloc when there is no memory.
  static Tensor empty(const Shape& shape, Device device = default_device());
  static Tensor zeros(const Shape& shape, Device device = default_device());
  static Tensor full(const Shape& shape, float value, Device device = default_device());
  // Throws std::invalid_argument when values.size() is not shape.count().
  static Tensor from(const Shape& shape, std::span<const float> values);
  static Tensor from(const Shape& shape, std::initializer_list<float> values) {
    return from(shape, std::span<const float>(values.begin(), values.size()));
  }
  // On the CPU, over shape.count() floats of another owner. They stay valid as long as `lent`
  // lives, and a write to this tensor changes them.
  static Tensor over(const Shape& shape, std::shared_ptr<void> lent);

  // The same over rows in another format (stored_rows.hpp), which linear() and embedding() read
  // directly. All other readers get a float32 copy, which is made on first use and kept.
  static Tensor over(const Shape& shape, const StoredRows& rows, std::shared_ptr<void> lent,
                     std::function<void()> rest = {});

  bool defined() const { return storage_ != nullptr; }
  const Shape& shape() const { return shape_; }
  int rank() const { return shape_.rank(); }
  int size(int axis) const { return shape_[axis]; }
  std::ptrdiff_t count() const { return shape_.count(); }
  Device device() const { return defined() ? storage_->device() : Device::cpu; }

  // For kernels: the numbers on the device of `on`, a Cpu or Cuda. Throws std::invalid_argument
  // when they are on another one, as when two inputs of an op do not share a device.
  template <class On>
  float* data(On) {
    check_device(On::device);
    storage_->changed();
    return storage_->as<float>();
  }
  template <class On>
  const float* data(On) const {
    check_device(On::device);
    return storage_->as<float>();
  }
  // The same, with the place for another form of the numbers.
  template <class On>
  kernel::Output output(On on) {
    return {data(on), &form()};
  }
  template <class On>
  kernel::Input input(On on) const {
    return {data(on), &form()};
  }
  std::shared_ptr<void>& form() const { return storage_->form(); }
  // The only element of a one-element tensor. Throws std::invalid_argument for any other.
  float item() const;
  // The numbers, readable on the host.
  Values values() const;

  // The rows as stored in a file, as long as they are the tensor's current numbers; else null.
  const StoredRows* stored() const { return storage_->stored(); }
  const std::shared_ptr<void>& lent() const { return storage_->lent(); }
  // Tells the system that it may reclaim the memory of these rows until they are read again.
  void rest() const { storage_->rest(); }

  Tensor clone() const;  // a copy, not recorded on any tape
  // The same numbers under another shape, not recorded on any tape (the op is xf::reshape).
  Tensor view(const Shape& shape) const;
  Tensor to(Device device) const;

  // Whether no other handle shares these numbers.
  bool sole_owner() const { return storage_.use_count() == 1; }
  const Storage* key() const { return storage_.get(); }
  std::uint32_t version() const { return storage_->version(); }

  // --- what the tape knows about this handle (common/autograd/tape.hpp) ---
  struct Node {
    std::uint64_t tape = 0;  // which tape recorded it; 0: none
    int index = -1;          // its entry there; of a leaf, its own number; else an observer's
  };
  Node node;
  bool leaf = false;  // gradients are computed for it: a parameter

 private:
  void check_device(Device wanted) const {
    if (storage_->device() != wanted) throw_other_device(wanted);
  }
  [[noreturn]] void throw_other_device(Device wanted) const;

  Shape shape_;
  std::shared_ptr<Storage> storage_;
};

// A tensor's numbers on the host: a view of them if they are there, a copy otherwise. It owns
// what it refers to, and so can outlive the tensor. A view sees later changes of the numbers.
class Values {
 public:
  explicit Values(const Tensor& tensor) : tensor_(tensor.to(Device::cpu)) {
    if (!tensor.defined()) return;
    begin_ = std::as_const(tensor_).data(Cpu{});
    end_ = begin_ + tensor_.count();
  }

  const float* begin() const { return begin_; }
  const float* end() const { return end_; }
  const float* data() const { return begin_; }
  std::size_t size() const { return static_cast<std::size_t>(end_ - begin_); }
  const float& operator[](std::ptrdiff_t i) const { return begin_[i]; }
  operator std::vector<float>() const { return {begin(), end()}; }

 private:
  Tensor tensor_;
  const float *begin_ = nullptr, *end_ = nullptr;
};

bool operator==(const Values& a, const Values& b);
bool operator==(const Values& a, const std::vector<float>& b);

// Overwrites numbers of `to`, starting at index `first`, as seen by all its handles: for loaders,
// and to change a parameter by hand. Throws std::invalid_argument if there are too many values.
void copy_into(Tensor& to, std::span<const float> values, std::ptrdiff_t first = 0);
inline void copy_into(Tensor& to, std::initializer_list<float> values, std::ptrdiff_t first = 0) {
  copy_into(to, std::span<const float>(values.begin(), values.size()), first);
}

// sum += x, element by element, for tensors of the same size. Changes `sum` in place: for the tape,
// which knows that no other handle reads the numbers.
void accumulate_into(Tensor& sum, const Tensor& x);

// x_i = f(x_i), in order: to initialise parameters, and to change them by hand.
template <class F>
void replace_each(Tensor& x, F f) {
  std::vector<float> numbers = x.values();
  for (float& number : numbers) number = static_cast<float>(f(number));
  copy_into(x, numbers);
}

// Token ids (or any int32 array): a type of its own, so that an id can't reach matmul. They are
// on the host, row-major, and form a range: ids[i], ids.begin(). Kernels on another device read a
// copy there, which is made on first use, and again on the first use after a change; Ids with the
// same numbers as recent ones share that copy.
class Ids {
 public:
  Ids() = default;
  // Throws std::invalid_argument when values.size() is not shape.count().
  Ids(const Shape& shape, std::span<const std::int32_t> values);
  Ids(const Shape& shape, std::initializer_list<std::int32_t> values)
      : Ids(shape, std::span<const std::int32_t>(values.begin(), values.size())) {}
  static Ids full(const Shape& shape, std::int32_t value);

  bool defined() const { return numbers_ != nullptr; }
  const Shape& shape() const { return shape_; }
  int size(int axis) const { return shape_[axis]; }
  std::ptrdiff_t count() const { return shape_.count(); }
  std::int32_t* begin() {
    numbers_->mirror = nullptr;
    return numbers_->host.as<std::int32_t>();
  }
  std::int32_t* end() { return begin() + count(); }
  const std::int32_t* begin() const { return numbers_->host.as<std::int32_t>(); }
  const std::int32_t* end() const { return begin() + count(); }
  std::int32_t& operator[](std::ptrdiff_t i) { return begin()[i]; }
  const std::int32_t& operator[](std::ptrdiff_t i) const { return begin()[i]; }
  // For kernels: the numbers on the device of `on`.
  const std::int32_t* data(Cpu) const { return begin(); }
  const std::int32_t* data(Cuda) const;
  // Element of a (B, T) array; the indices are not checked.
  std::int32_t at(int b, int t) const { return begin()[b * shape_[1] + t]; }
  std::vector<std::int32_t> values() const { return {begin(), end()}; }

 private:
  struct Numbers {
    Storage host;
    std::shared_ptr<const std::int32_t> mirror;  // the current copy on the device
  };

  Shape shape_;
  std::shared_ptr<Numbers> numbers_;
};

}  // namespace xf
