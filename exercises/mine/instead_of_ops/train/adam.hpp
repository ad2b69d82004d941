#pragma once

#include "common/train/adam.hpp"
#include "train/checkpoint.hpp"  // uses only the book's Adam

namespace xf::mine {

class Adam : public xf::Adam {
 public:
  explicit Adam(std::vector<NamedParameter> parameters, const AdamOptions& options = {})
      : xf::Adam(parameters, options), parameters_(std::move(parameters)), options_(options) {}
  void step(const GradientSums& g, double learning_rate);
  void step(Gradients& g, double learning_rate) { step(sum_of(parameters_, g), learning_rate); }

 private:
  std::vector<NamedParameter> parameters_;
  AdamOptions options_;
};

}  // namespace xf::mine

#define Adam mine::Adam
