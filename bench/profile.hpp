#pragma once

#include <map>
#include <mutex>
#include <string>

#include "autograd/observer.hpp"

namespace xf::bench {

// Adds up, during its lifetime, the time of every op on every tape. Whatever a thread does between
// two ops (masks, the bookkeeping of the tape) counts for the later one.
class Profile : public TapeObserver {
 public:
  struct Row {
    long calls = 0;
    double forward = 0, backward = 0;  // seconds, summed over the threads
    double flops = 0;                  // of the products, forward only; backward takes twice that
  };
  // With `by_shape`, ops on different shapes have rows of their own.
  explicit Profile(bool by_shape = false) : by_shape_(by_shape) { tape_observer = this; }
  ~Profile() override { tape_observer = nullptr; }
  Profile(const Profile&) = delete;
  Profile& operator=(const Profile&) = delete;

  void begin() override;
  void forward(const Op& op, Tensor& y, std::initializer_list<const Tensor*> inputs) override;
  void backward(const Op& op, const Tensor& dy) override;

  const std::map<std::string, Row>& rows() const { return rows_; }
  void reset() { rows_.clear(); }

 private:
  Row& row(const Op& op, const Tensor& output);

  bool by_shape_;
  std::mutex mutex_;
  std::map<std::string, Row> rows_;
};

}  // namespace xf::bench
