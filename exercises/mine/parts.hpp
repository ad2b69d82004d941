#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "autograd/recorder.hpp"
#include "mine/instead.hpp"
#include "tensor/error.hpp"
#include "tensor/xt.hpp"

// `./learn mine`: chapter 7's program, and chapter 9's `generate`, made of the learner's parts. A
// part is a function with the signature that an exercise asks for. The learner's code is compiled
// into a library of its own, together with adapters/take_part.cpp, which puts the function into the
// table below; a missing part is replaced by the book's. A part is named like the exercise's
// function. The chapters know nothing about it: what calls the parts replaces the book's layers
// (instead.hpp) and ops (in_program.hpp).
namespace xf::mine {

using Vector = xt::xtensor<float, 1>;
using Matrix = xt::xtensor<float, 2>;
using Cube = xt::xtensor<float, 3>;
using WordIds = xt::xtensor<int, 1>;
using Numbers = std::vector<double>;
using Words = std::vector<int>;
using Pieces = std::vector<std::string>;
using Merges = std::vector<std::pair<std::string, std::string>>;
using Layer = std::function<Matrix(const Matrix&)>;
using Tensors = std::vector<Tensor>;

// Queries, keys and values, or their gradients.
struct Rows {
  Matrix q, k, v;  // (T, D), (S, D) twice
};
struct Dropped {
  Matrix y, mask;
};
// The keys and values of the positions so far, (G, Dk) each.
struct SharedRows {
  std::vector<Matrix> k = {}, v = {};
};
struct Moments {
  double beta1, beta2, epsilon;
  Numbers m, v;
  int t;
};

// One part: its exercise, and the learner's function, if any. A call reports which part failed.
[[noreturn]] void throw_of_part(const char* exercise, const Phrase& what);
template <class Signature>
struct Part {
  const char* exercise;
  std::function<Signature> of = {};

  explicit operator bool() const { return bool(of); }
  template <class... Arguments>
  auto operator()(Arguments&&... arguments) const {
    try {
      return of(std::forward<Arguments>(arguments)...);
    } catch (const std::exception& error) {
      throw_of_part(exercise, message_of(error));
    }
  }
};

using Ms = const Matrix&;  // several on a line
using Ts = const Tensor&;
using Ls = const Layer&;

struct Parts {
  Part<float(std::vector<Matrix>&, float)> clip{"00-04"};
  Part<Matrix(const WordIds&, Ms)> embed{"01-01"};
  Part<Matrix(std::size_t, std::size_t)> positions{"01-02"};
  Part<Tensor(const Ids&, Ts, int)> embed_backward{"01-03"};
  Part<Matrix(Ms, Ms, Ms)> attention{"02-01"};
  Part<Tensor(Ts, Ts, float)> softmax_backward{"02-02"};
  Part<Matrix(Ms, Ms)> masked_softmax{"02-03"};
  Part<Cube(Ms, int)> split{"02-04"};
  Part<Matrix(const Cube&)> merge{"02-04"};
  Part<Rows(Ms, Ms, Ms, Ms)> attention_backward{"02-05"};
  Part<Matrix(Ms, const Vector&, const Vector&, float)> layer_norm{"03-01"};
  Part<Tensors(Ts, Ts, Ts, float)> layer_norm_backward{"03-02"};
  Part<Matrix(Ms, Ms, const Vector&, Ms, const Vector&)> feed_forward{"04-01"};
  Part<Tensors(Ts, Ts, Ts, Ts, Ts)> feed_forward_backward{"04-02"};
  Part<Dropped(Ms, Ms, float, bool)> dropout{"04-04"};
  Part<Matrix(Ms, const Dropped&)> dropout_backward{"04-04"};
  Part<Matrix(Ms, NormOrder, Ls, Ls, Ls, Ls)> encoder_layer{"05-01"};
  Part<Mask(const Ids&, std::int32_t)> padding_mask{"05-03"};
  Part<Matrix(Ms, Ms, Ms)> causal_attention{"06-01"};
  Part<Tensor(const DecoderLayer&, Ts, Ts, const Mask&, const Mask&)> decoder_layer{"06-02"};
  Part<Tensor(const MultiHeadAttention&, Ts, KeysValues&)> step{"06-03"};
  Part<std::vector<Words>(const std::function<Matrix(const Ids&)>&, int, int)> greedy{"06-04"};
  Part<float(Ms, const Words&, float, int)> smoothed_cross_entropy{"07-01"};
  Part<Tensor(Ts, Ts, const Encoder&, const Decoder&, const Ids&, const Ids&)> logits{"07-02"};
  Part<Matrix(Ms, const Words&, float, int)> cross_entropy_backward{"07-04"};
  Part<void(Moments&, Numbers&, const Numbers&, double)> adam{"07-05"};
  Part<double(int, double, int)> inverse_root{"07-06"};
  Part<Words(const std::function<Numbers(Words&, int)>&, int, int, double)> beam_search{"07-07"};
  Part<Merges(const std::map<std::string, int>&, int)> learn_merges{"07-08"};
  Part<Pieces(const std::string&, const Merges&)> apply_merges{"07-08"};
  Part<double(const std::vector<Words>&, const std::vector<Words>&)> bleu{"07-09"};
  Part<Tensor(Ts, Ts, Ts, Ts, Ts)> relative_scores{"08-02"};
  // for a published model
  Part<Numbers(const Numbers&, double, int, double)> distribution{"08-06"};
  Part<int(const Numbers&, double)> draw{"08-06"};
  Part<Matrix(Ms, int, float)> rotate{"09-03"};
  Part<Matrix(Ms, const Vector&, float)> rms_norm{"09-04"};
  Part<Matrix(Ms, Ms, Ms, SharedRows&)> shared_heads{"09-05"};
  Part<Merges(const std::string&)> read_merges{"09-06"};
  Part<Pieces(const std::string&, const Merges&)> encode{"09-06"};
  Part<std::string(const Pieces&)> decode{"09-06"};
  Part<Matrix(Ms, Ms, Ms, Ms)> swiglu{"09-07"};
};

// The parts in use: at first those in the libraries that XF_PARTS names, separated by :. A name may
// be followed by = and the file that the learner wrote, whose lines a trace shows. Throws UserError
// for a library that cannot be loaded.
Parts& parts();
// The result of compute(), computed with these parts.
template <class Compute>
auto with(Parts some, const Compute& compute) {
  std::swap(parts(), some);
  auto found = compute();
  std::swap(parts(), some);
  return found;
}

// A library with a part, and the table with nothing else in it.
struct LoadedPart {
  std::string exercise;
  Parts alone = {};
};
const std::vector<LoadedPart>& loaded_parts();

// Whether intermediate values of attention are recorded. A trace only asks where it is.
inline bool is_recorded() { return watched("weights") || watched("scores"); }

// The rows of x, (R, D), in the form that exercises take; and the inverse.   x: (..., D)
inline Matrix rows_of(const Tensor& x) { return to_xt<2>(x.view({x.shape().rows(), x.size(-1)})); }
inline Tensor shaped(const Matrix& rows, const Shape& shape) { return from_xt(rows).view(shape); }

// The gradients of the inputs of op(inputs), with the gradient dy of its output.
Tensors gradients_of(const std::function<Tensor(const Tensors&)>& op, const Tensors& inputs,
                     const Tensor& dy);

// f if there is such a part, otherwise an empty function.
template <class Own, class F>
auto if_any(const Own& part, F f) {
  return part ? std::function(f) : decltype(std::function(f))();
}

// An op on the tape whose forward, backward or both may be parts; what is empty is the book's. The
// functions get the inputs, detached; the gradients may have other shapes.
struct OpOfParts {
  Op op;
  std::function<Tensor(const Tensors&)> book;
  std::function<Tensor(const Tensors&)> forward = {};
  std::function<Tensors(const Tensors&, const Tensor& dy)> backward = {};

  Tensor operator()(std::initializer_list<const Tensor*> inputs) const;
};

}  // namespace xf::mine
