#include "train/adam.hpp"

#include <cmath>
#include <cstdint>
#include <stdexcept>

#include "tensor/parallel.hpp"

namespace xf {

namespace {

// A stretch of one parameter, small enough to share the work evenly.
struct Chunk {
  std::size_t parameter;
  std::ptrdiff_t first, count;
};

constexpr std::ptrdiff_t chunk_size = 1 << 15;

std::vector<Chunk> chunks(const std::vector<NamedParameter>& parameters,
                          const std::vector<Tensor>& gradients) {
  std::vector<Chunk> list;
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    if (!gradients[p].defined()) continue;
    const std::ptrdiff_t count = parameters[p].tensor->count();
    for (std::ptrdiff_t first = 0; first < count; first += chunk_size)
      list.push_back({p, first, std::min(chunk_size, count - first)});
  }
  return list;
}

template <class Body>
void for_each_chunk(const std::vector<Chunk>& list, const Body& body) {
  parallel_for(static_cast<std::ptrdiff_t>(list.size()), 1, [&](auto first, auto last) {
    for (auto i = first; i < last; ++i) body(static_cast<std::size_t>(i));
  });
}

void add_to(float* sum, const float* x, std::ptrdiff_t count) {
  for (std::ptrdiff_t i = 0; i < count; ++i) sum[i] += x[i];
}

double sum_of_squares(const float* x, std::ptrdiff_t count) {
  float sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::ptrdiff_t i = 0; i < count; ++i) sum += x[i] * x[i];
  return sum;
}

struct Rates {
  float beta1, beta2, epsilon, step_size, inverse_root_correction, clip_factor;
  float left;  // of a matrix after the decay: 1 - lr lambda
};

void update(const Rates& r, float left, const float* g, float* m, float* v, float* w,
            std::ptrdiff_t count) {
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    const float gradient = g[i] * r.clip_factor;
    m[i] = r.beta1 * m[i] + (1 - r.beta1) * gradient;
    v[i] = r.beta2 * v[i] + (1 - r.beta2) * gradient * gradient;
    w[i] = left * w[i] -
           r.step_size * m[i] / (std::sqrt(v[i]) * r.inverse_root_correction + r.epsilon);
  }
}

}  // namespace

Adam::Adam(std::vector<NamedParameter> parameters, const AdamOptions& options)
    : parameters_(std::move(parameters)), options_(options) {
  for (const NamedParameter& parameter : parameters_) {
    m_.push_back(Tensor::zeros(parameter.tensor->shape()));
    v_.push_back(Tensor::zeros(parameter.tensor->shape()));
  }
}

double Adam::step(std::span<Gradients> shards, double learning_rate) {
  // The first defined gradient of each parameter takes the sum; the others are added to it.
  std::vector<Tensor> sums(parameters_.size());
  std::vector<std::vector<Tensor>> others(parameters_.size());
  for (std::size_t p = 0; p < parameters_.size(); ++p)
    for (const Gradients& shard : shards) {
      const Tensor& gradient = shard.of(*parameters_[p].tensor);
      if (!gradient.defined()) continue;
      if (!sums[p].defined())
        sums[p] = gradient;
      else
        others[p].push_back(gradient);
    }

  const std::vector<Chunk> list = chunks(parameters_, sums);
  std::vector<double> squares(list.size());
  for_each_chunk(list, [&](std::size_t i) {
    const auto [p, first, count] = list[i];
    for (const Tensor& other : others[p])
      add_to(sums[p].data() + first, other.data() + first, count);
    squares[i] = sum_of_squares(sums[p].data() + first, count);
  });
  double squared_norm = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (!std::isfinite(squares[i]))
      throw std::runtime_error("the gradient of " + parameters_[list[i].parameter].name +
                               " is not finite");
    squared_norm += squares[i];
  }
  const double norm = std::sqrt(squared_norm);

  ++steps_;
  const double correction1 = 1 - std::pow(options_.beta1, steps_);
  const double correction2 = 1 - std::pow(options_.beta2, steps_);
  const bool too_long = options_.clip > 0 && norm > options_.clip;
  const Rates rates{.beta1 = static_cast<float>(options_.beta1),
                    .beta2 = static_cast<float>(options_.beta2),
                    .epsilon = static_cast<float>(options_.epsilon),
                    .step_size = static_cast<float>(learning_rate / correction1),
                    .inverse_root_correction = static_cast<float>(1 / std::sqrt(correction2)),
                    .clip_factor = static_cast<float>(too_long ? options_.clip / norm : 1.0),
                    .left = static_cast<float>(1 - learning_rate * options_.weight_decay)};
  for_each_chunk(list, [&](std::size_t i) {
    const auto [p, first, count] = list[i];
    Tensor& w = *parameters_[p].tensor;
    update(rates, w.rank() > 1 ? rates.left : 1, sums[p].data() + first, m_[p].data() + first,
           v_[p].data() + first, w.data() + first, count);
  });
  return norm;
}

std::vector<std::pair<std::string, Tensor>> Adam::state() const {
  std::vector<std::pair<std::string, Tensor>> state;
  for (std::size_t p = 0; p < parameters_.size(); ++p) {
    state.emplace_back(parameters_[p].name + ".m", m_[p]);
    state.emplace_back(parameters_[p].name + ".v", v_[p]);
  }
  return state;
}

void Adam::restore(int steps, const std::vector<std::pair<std::string, Tensor>>& state) {
  const auto expected = this->state();
  if (state.size() != expected.size())
    throw std::invalid_argument("adam: the state belongs to another model");
  for (std::size_t i = 0; i < state.size(); ++i)
    if (state[i].first != expected[i].first ||
        !(state[i].second.shape() == expected[i].second.shape()))
      throw std::invalid_argument("adam: the state of " + expected[i].first + " is missing");
  for (std::size_t p = 0; p < parameters_.size(); ++p) {
    m_[p] = state[2 * p].second.clone();
    v_[p] = state[2 * p + 1].second.clone();
  }
  steps_ = steps;
}

}  // namespace xf
