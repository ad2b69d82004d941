#pragma once

#include <vector>

#include "08_transformer_xl/config.hpp"
#include "08_transformer_xl/memory.hpp"
#include "nn/linear.hpp"
#include "ops/dropout/dropout.hpp"
#include "ops/elementwise/elementwise.hpp"

namespace xf {

// One layer of a recurrent network with gates: it reads one token at a time, and all that it keeps
// of the past is one state of fixed size, the cell c, part of which it outputs as r.
//   [i f o g] = [x_t ; r_{t-1}] W^T + b,   i, f, o through sigmoid, g through tanh
//   c_t = f c_{t-1} + i g,   r_t = (o tanh(c_t)) W_p^T
// Hochreiter and Schmidhuber 1997; f is from Gers et al. 2000, W_p from Sak et al. 2014.
struct LstmLayer {
  Linear gates;       // (4 Dff, 2 D): input, forget and output gate, and the candidate
  Linear projection;  // (D, Dff), no bias

  LstmLayer(int d_model, int cells, Random& random)
      : gates(2 * d_model, 4 * cells, random), projection(cells, d_model, random, false) {
    std::vector<float> bias(static_cast<std::size_t>(4 * cells), 0.0f);
    std::fill_n(bias.begin() + cells, cells, 1.0f);  // initially, the cell keeps its contents
    copy_into(gates.bias, bias);
  }

  // x: (B, T, D)   state: (B, 1, D + Dff), r and c before x, replaced by those after it
  // returns r at every step, (B, T, D)
  Tensor operator()(const Tensor& x, Tensor& state) const {
    const int d_model = x.size(-1), cells = projection.weight.size(1);
    Tensor r = slice(state, -1, 0, d_model), c = slice(state, -1, d_model, cells);
    Tensor shown;
    for (int t = 0; t < x.size(1); ++t) {
      const Tensor z = gates(concat(slice(x, 1, t, 1), r, -1));  // (B, 1, 4 Dff)
      const Tensor open = sigmoid(slice(z, -1, 0, 3 * cells));   // (B, 1, 3 Dff): i, f, o
      const Tensor g = tanh(slice(z, -1, 3 * cells, cells));     // (B, 1, Dff)
      c = slice(open, -1, cells, cells) * c + slice(open, -1, 0, cells) * g;
      r = projection(slice(open, -1, 2 * cells, cells) * tanh(c));  // (B, 1, D)
      shown = shown.defined() ? concat(shown, r, 1) : r;            // (B, t + 1, D)
    }
    state = concat(r, c, -1);
    return shown;
  }

  template <class Visitor>
  void visit(Visitor&& v) {
    v("gates", gates);
    v("projection", projection);
  }
};

// The language model before attention: a stack of such layers, with `d_ff` cells each. The state is
// carried from segment to segment, but no gradient flows across segment boundaries (truncated
// backpropagation through time). The config's heads, memory, norm and positions are not used here.
struct Lstm {
  std::vector<LstmLayer> layers;
  float dropout_rate;  // on the embeddings, and between the layers

  Lstm(const TransformerXlConfig& config, Random& random)
      : dropout_rate(static_cast<float>(config.dropout)) {
    for (int i = 0; i < config.layers; ++i)
      layers.emplace_back(config.d_model, config.d_ff, random);
  }

  // Its memory is one state per layer: the output r and the cells c.
  static Memory start(const TransformerXlConfig&) { return {.memory_length = 1}; }
  static int memory_width(const TransformerXlConfig& c) { return c.d_model + c.d_ff; }

  // x: (B, T, D), the embeddings   returns (B, T, D); the states in the memory advance
  Tensor operator()(Tensor x, Memory& memory) const {
    memory.layers.resize(layers.size());
    for (std::size_t i = 0; i < layers.size(); ++i) {
      const int width = x.size(-1) + layers[i].projection.weight.size(1);
      const Tensor past = memory.layers[i].states;
      Tensor state = past.defined() ? detach(past) : Tensor::zeros({x.size(0), 1, width});
      x = layers[i](dropout(x, dropout_rate), state);  // (B, T, D)
      memory.layers[i].states = detach(state);
    }
    return x;
  }

  template <class Visitor>
  void visit(Visitor&& v) {
    v("layers", layers);
  }
};

// The config of an LSTM with as many parameters as Transformer-XL has with `c`, to within half a
// cell per layer. Per layer, with C cells at 9 D + 4 each:
//   Transformer-XL   5 D^2 + (2 D + 1) Dff + 5 D, + 2 D for u and v, once or per layer
inline TransformerXlConfig lstm_equal(TransformerXlConfig c) {
  const double d = c.d_model, biases = 2 * d * (c.untie ? 1.0 : 1.0 / c.layers);
  const double layer = 5 * d * d + (2 * d + 1) * c.d_ff + 5 * d + biases;
  c.kind = ModelKind::lstm;
  c.memory = 0;
  c.d_ff = static_cast<int>(std::lround(layer / (9 * d + 4)));
  return c;
}

}  // namespace xf
