#include "tensor/tensor.hpp"

#include <algorithm>
#include <iterator>
#include <string>

#include "tensor/kernels.hpp"

namespace xf {

namespace {

std::size_t bytes_of(const Shape& shape) {
  std::ptrdiff_t bytes = sizeof(float);
  for (int axis = 0; axis < shape.rank(); ++axis)
    if (__builtin_mul_overflow(bytes, shape[axis], &bytes))
      throw std::invalid_argument("tensor: no memory holds " + shape.str());
  return static_cast<std::size_t>(bytes);
}

Device born_on = Device::cpu;

}  // namespace

Device default_device() { return born_on; }

void set_default_device(Device device) {
  dispatch(device, [](auto on) { kernel::prepare(on); });
  born_on = device;
}

Tensor Tensor::empty(const Shape& shape, Device device) {
  Tensor tensor;
  tensor.shape_ = shape;
  tensor.storage_ = std::make_shared<Storage>(bytes_of(shape), device);
  return tensor;
}

Tensor Tensor::zeros(const Shape& shape, Device device) { return full(shape, 0.0f, device); }

Tensor Tensor::full(const Shape& shape, float value, Device device) {
  Tensor tensor = empty(shape, device);
  dispatch(device, [&](auto on) { kernel::fill(on, tensor.data(on), value, tensor.count()); });
  return tensor;
}

Tensor Tensor::from(const Shape& shape, std::span<const float> values) {
  if (static_cast<std::ptrdiff_t>(values.size()) != shape.count())
    throw std::invalid_argument("tensor: shape " + shape.str() + " needs " +
                                std::to_string(shape.count()) + " values, not " +
                                std::to_string(values.size()));
  Tensor tensor = empty(shape);
  copy_into(tensor, values);
  return tensor;
}

Tensor Tensor::over(const Shape& shape, std::shared_ptr<void> lent) {
  Tensor tensor;
  tensor.shape_ = shape;
  tensor.storage_ = std::make_shared<Storage>(std::move(lent));
  return tensor;
}

Tensor Tensor::over(const Shape& shape, const StoredRows& rows, std::shared_ptr<void> lent,
                    std::function<void()> rest) {
  if (shape.rank() != 2 || shape[1] != rows.columns || rows.columns % rows.format->block != 0)
    throw std::invalid_argument("tensor: " + shape.str() + " is no matrix of rows of " +
                                std::to_string(rows.columns) + " numbers in blocks of " +
                                std::to_string(rows.format->block));
  Tensor tensor;
  tensor.shape_ = shape;
  tensor.storage_ =
      std::make_shared<Storage>(rows, bytes_of(shape), std::move(lent), std::move(rest));
  return tensor;
}

float Tensor::item() const {
  if (!defined() || count() != 1)
    throw std::invalid_argument("item: one element wanted, the shape is " + shape_.str());
  return values()[0];
}

Values Tensor::values() const { return Values(*this); }

void Tensor::throw_other_device(Device wanted) const {
  throw std::invalid_argument("device: expected a tensor on " + name(wanted) + ", not " +
                              shape_.str() + " on " + name(device()));
}

Tensor Tensor::clone() const {
  Tensor copy = empty(shape_, device());
  dispatch(device(), [&](auto on) { kernel::copy(on, data(on), copy.data(on), count()); });
  return copy;
}

Tensor Tensor::view(const Shape& shape) const {
  if (shape.count() != count())
    throw std::invalid_argument("view: " + shape_.str() + " has no shape " + shape.str());
  Tensor tensor = *this;
  tensor.shape_ = shape;
  tensor.node = {};
  tensor.leaf = false;
  return tensor;
}

Tensor Tensor::to(Device device) const {
  if (device == this->device()) return *this;
  Tensor copy = empty(shape_, device);
  if (device == Device::cpu)
    dispatch(this->device(),
             [&](auto on) { kernel::download(on, data(on), copy.data(Cpu{}), count()); });
  else
    dispatch(device, [&](auto on) { kernel::upload(on, data(Cpu{}), copy.data(on), count()); });
  return copy;
}

bool operator==(const Values& a, const Values& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}
bool operator==(const Values& a, const std::vector<float>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

void copy_into(Tensor& to, std::span<const float> values, std::ptrdiff_t first) {
  if (first < 0 || std::ssize(values) > to.count() - first)
    throw std::invalid_argument("copy_into: " + std::to_string(values.size()) +
                                " values from number " + std::to_string(first) +
                                " on are more than a tensor " + to.shape().str() + " holds");
  dispatch(to.device(), [&](auto on) {
    kernel::upload(on, values.data(), to.data(on) + first, std::ssize(values));
  });
}

void accumulate_into(Tensor& sum, const Tensor& x) {
  if (sum.count() != x.count())
    throw std::invalid_argument("accumulate: " + sum.shape().str() + " += " + x.shape().str());
  dispatch(sum.device(), [&](auto on) { kernel::add_to(on, sum.data(on), x.data(on), x.count()); });
}

Ids::Ids(const Shape& shape, std::span<const std::int32_t> values) : shape_(shape) {
  if (static_cast<std::ptrdiff_t>(values.size()) != shape.count())
    throw std::invalid_argument("ids: shape " + shape.str() + " needs " +
                                std::to_string(shape.count()) + " values, not " +
                                std::to_string(values.size()));
  numbers_ = std::shared_ptr<Numbers>(
      new Numbers{{values.size() * sizeof(std::int32_t), Device::cpu}, nullptr});
  std::copy(values.begin(), values.end(), begin());
}

const std::int32_t* Ids::data(Cuda) const {
  std::shared_ptr<const std::int32_t>& mirror = numbers_->mirror;
  if (!mirror)
    dispatch(Device::cuda, [&](auto on) { mirror = kernel::mirrored(on, {begin(), end()}); });
  return mirror.get();
}

Ids Ids::full(const Shape& shape, std::int32_t value) {
  return Ids(shape, std::vector<std::int32_t>(static_cast<std::size_t>(shape.count()), value));
}

}  // namespace xf
