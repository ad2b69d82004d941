// Lesson 2, section 10: W_q, W_k and W_v as one matrix, and how it is split.

#include "02_attention/lesson.hpp"
#include "io/safetensors.hpp"
#include "ops/shape/shape_ops.hpp"
#include "speech/show.hpp"

namespace xf::lesson_02 {
namespace {

constexpr int d_model = 8, head_count = 2, d_k = d_model / head_count;

// The rows of one matrix (3 D, D), in the order of the pieces. A piece says whether its rows are
// weights of q (0), k (1) or v (2), and which ones.
struct Piece {
  int weight, first, count;
};
// All of q, then all of k, then all of v.
const std::vector<Piece> one_after_the_other = {{0, 0, d_model}, {1, 0, d_model}, {2, 0, d_model}};
// Head by head: q, k and v of head 0, then of head 1.
const std::vector<Piece> head_by_head = {{0, 0, d_k},   {1, 0, d_k},   {2, 0, d_k},
                                         {0, d_k, d_k}, {1, d_k, d_k}, {2, d_k, d_k}};

Tensor joined(const MultiHeadAttention& layer, const std::vector<Piece>& order) {
  const Tensor weights[] = {layer.w_q.weight, layer.w_k.weight, layer.w_v.weight};
  Tensor big;
  for (const Piece& p : order) {
    const Tensor rows = slice(weights[p.weight], 0, p.first, p.count);
    big = big.defined() ? concat(big, rows, 0) : rows;
  }
  return detach(big);  // (3 D, D)
}

// The inverse: copies the rows of `big` into the three weights of the layer.
void split_into(MultiHeadAttention& layer, const Tensor& big, const std::vector<Piece>& order) {
  Tensor* weights[] = {&layer.w_q.weight, &layer.w_k.weight, &layer.w_v.weight};
  Tensor parts[3];
  int row = 0;
  for (const Piece& p : order) {
    const Tensor rows = slice(big, 0, row, p.count);
    Tensor& part = parts[p.weight];
    part = part.defined() ? concat(part, rows, 0) : rows;
    row += p.count;
  }
  for (int i = 0; i < 3; ++i) copy_into(*weights[i], parts[i].values());
}

}  // namespace

void one_matrix(Random& random, const Options& options) {
  section("One matrix or three?");
  say("In self-attention q, k and v are three projections of the same x, and programs often keep "
      "them as one matrix (3 D, D): one product instead of three, and its columns are cut into "
      "thirds. NiuTensor calls it the big weight, Transformer-XL's code qkv_net. D = 8, T = 3:");
  const MultiHeadAttention layer(d_model, head_count, 0.0f, random);
  const Tensor x = normal({1, 3, d_model}, 1, random);
  const Tensor big = joined(layer, one_after_the_other);
  equation(
      "qkv = x W^T                      (T, D) (D, 3 D) -> (T, 3 D)\n"
      "q, k, v = columns 0 … D-1, D … 2D-1, 2D … 3D-1");
  const Tensor qkv = linear(x, big, {});  // (1, T, 3 D)
  agree("q, cut out, and w_q(x)", slice(qkv, -1, 0, d_model), layer.w_q(x));
  agree("k, cut out, and w_k(x)", slice(qkv, -1, d_model, d_model), layer.w_k(x));
  agree("v, cut out, and w_v(x)", slice(qkv, -1, 2 * d_model, d_model), layer.w_v(x));

  say("So a file that holds the big matrix can be loaded, provided that the order of its rows is "
      "known. The matrix goes into a safetensors file as such a program would write it, and comes "
      "back as three weights:");
  const std::string path = output_path(options, "qkv.safetensors");
  save_safetensors(path, {{"qkv_net.weight", big}});
  const Tensor stored = load_safetensors(path).tensors.at("qkv_net.weight");
  Random other(options.seed, 10);
  MultiHeadAttention loaded(d_model, head_count, 0.0f, other);
  copy_into(loaded.w_o.weight, layer.w_o.weight.values());
  const Tensor right = layer(x, x, {});
  Table table({"how the 3 D rows are read", "max |difference| of the output"});
  const auto read_as = [&](const Phrase& name, const std::vector<Piece>& order) {
    split_into(loaded, stored, order);
    const double off = max_difference(loaded(x, x, {}), right);
    table.row({name, fixed(off)});
    return off;
  };
  const double same = read_as("q, k, v", one_after_the_other);
  const double swapped = read_as("k, q, v", {{1, 0, d_model}, {0, 0, d_model}, {2, 0, d_model}});
  const double by_head = read_as("head by head: q k v, q k v", head_by_head);
  table.print();
  claim(same == 0, "read in its own order, the matrix gives the layer back");
  claim(swapped > 1e-3 && by_head > 1e-3, "read in another order, it gives another layer");
  say("All three are in use, the shapes are the same, and nothing complains, so you have to know "
      "which program wrote a file before you load it. (NiuTensor's code names the matrix kqv, "
      "splits it as q, k, v and passes on k, q, v by position.) This project keeps three matrices "
      "with names, which can't be mixed up, and computes their products together where that is "
      "faster.");
  finding("One matrix (3 D, D) is w_q, w_k and w_v stacked; you only need to know the order");
}

}  // namespace xf::lesson_02
