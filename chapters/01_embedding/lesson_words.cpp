// Lesson 1, sections 1 and 2: the table of word vectors, and the factor sqrt(D).

#include <numeric>

#include "01_embedding/lesson.hpp"
#include "01_embedding/token_embedding.hpp"
#include "language/language.hpp"
#include "ops/matmul/matmul.hpp"
#include "ops/reduce/reduce.hpp"
#include "speech/show.hpp"
#include "tensor/portable_math.hpp"
#include "tensor/xt_linalg.hpp"

namespace xf::lesson_01 {
namespace {

const std::vector<std::string> vocabulary = {"<pad>", "<bos>", "<eos>",   "<unk>",
                                             "I",     "like",  "Beijing", "Winter"};

// weight[ids[0]] sqrt(D), written twice in xtensor.
void agree_with_equations(const TokenEmbedding& table, const Ids& ids, const Tensor& x) {
  const xt::xtensor<float, 2> weight = to_xt<2>(table.weight);  // (V, D)
  const float root_d = std::sqrt(float(weight.shape(1)));
  const std::vector<std::ptrdiff_t> rows(ids.begin(), ids.begin() + ids.size(1));
  const xt::xtensor<float, 2> looked_up = root_d * xt::view(weight, xt::keep(rows), xt::all());

  const Shape sentence = {ids.size(1), table.weight.size(1)};
  const Tensor first = x.view({x.size(0) * x.size(1), x.size(2)});
  const Tensor by_layer = slice(first, 0, 0, ids.size(1)).view(sentence);
  equation("x = sqrt(D) * xt::view(weight, xt::keep(ids), xt::all())");
  agree("the layer and the lookup", by_layer, from_xt<2>(looked_up));

  xt::xtensor<float, 2> one_hot = xt::zeros<float>({rows.size(), weight.shape(0)});  // (T, V)
  for (std::size_t t = 0; t < rows.size(); ++t) one_hot(t, static_cast<std::size_t>(rows[t])) = 1;
  const xt::xtensor<float, 2> product = root_d * xt::linalg::dot(one_hot, weight);
  equation("x = sqrt(D) * xt::linalg::dot(one_hot(ids), weight)");
  agree("the layer and the matrix product with one-hot rows", by_layer, from_xt<2>(product));
}

// How many times sqrt(D) each row's gradient of a sum is: the number of times the row is used.
std::vector<int> uses(const TokenEmbedding& table, const Ids& ids) {
  Tape tape;
  const Gradients gradients = tape.backward(sum(table(ids)));
  const Tensor& d_weight = gradients.of(table.weight);
  std::vector<int> counts;
  const float root_d = std::sqrt(float(d_weight.size(1)));
  for (int v = 0; v < d_weight.size(0); ++v)
    counts.push_back(
        static_cast<int>(std::lround(d_weight.values()[v * d_weight.size(1)] / root_d)));
  return counts;
}

double mean_row_norm(const Tensor& x) {
  const int columns = x.size(-1), rows = x.shape().rows();
  const Values values = x.values();
  double total = 0;
  for (int r = 0; r < rows; ++r) {
    double squares = 0;
    for (int c = 0; c < columns; ++c) squares += portable::square(values[r * columns + c]);
    total += std::sqrt(squares);
  }
  return total / rows;
}

// The share of words that can be recovered from x + PE as the table row with the largest dot
// product.   x: (1, T, D), where word t is row t of the table
double found_again(const Tensor& x, const Tensor& weight) {
  const Tensor sums = add_positions(x);  // (1, T, D)
  const Tensor scores = matmul(sums.view({x.size(1), x.size(2)}), weight, Transpose::yes);
  const std::vector<int> best = argmax(scores);
  int found = 0;
  for (int t = 0; t < scores.size(0); ++t) found += best[t] == t;
  return double(found) / scores.size(0);
}

}  // namespace

void lookup(Random& random) {
  section("How does a word become a vector?");
  say("Every word of the vocabulary has a number, its id, and every id has a row in a table of "
      "learned numbers. To embed a sentence is to look up its rows, times sqrt(D).");
  const TokenEmbedding table(8, 4, random);
  const Ids ids({2, 4}, {4, 5, 6, 2, 4, 5, 2, 0});
  show("weight", table.weight, {.rows = vocabulary});
  show("ids: \"I like Beijing <eos>\" and \"I like <eos>\", padded", ids);
  const Tensor x = table(ids);
  show("x = embedding of the first sentence", slice(x.view({8, 4}), 0, 0, 4),
       {.rows = words_of(ids, 0, vocabulary)});
  agree_with_equations(table, ids, x);
  say("The gradient goes back to the rows that were used, once for every use:");
  Table used({"word", "times used", "in the gradient"});
  const std::vector<int> counts = uses(table, ids);
  std::vector<int> expected(vocabulary.size(), 0);
  for (std::int32_t id : ids) ++expected[static_cast<std::size_t>(id)];
  for (std::size_t v = 0; v < counts.size(); ++v)
    used.row({vocabulary[v], std::to_string(expected[v]), std::to_string(counts[v])});
  used.print();
  claim(counts == expected, "a row's gradient is the sum over its uses");
  say("An id outside the table is an error, and two words that share an id are the same word "
      "to the model. (A lesson found on the web gives Beijing, Winter and Games the id 4, and "
      "<pad> the id of the word I.)");
  const Phrase message = refusal([&] { table(Ids({1, 1}, {8})); });
  equation("ids = [8]  ->  {}", message);
  claim(!message.empty(), "an id outside the table is an error");
  finding(
      "An embedding is a table lookup: the product of one-hot rows and the table, times sqrt(D)");
}

void embedding_scale(Random& random) {
  section("Why times sqrt(D)?");
  say("The table is drawn with variance 1/D, so that a row has a norm of about 1. The position "
      "encoding, which is added next, has a norm of exactly sqrt(D/2). Take 1000 words, put word t "
      "at position t, and try to recognise each word as the row whose dot product with the sum is "
      "largest:");
  Table norms({"D", "|row|", "|PE|", "|sqrt(D) row|", "found again: unscaled", "scaled"});
  double unscaled = 0, scaled = 0;
  for (int d_model : {64, 128, 256, 512}) {
    const int words = 1000;
    const TokenEmbedding table(words, d_model, random);
    Ids ids = Ids::full({1, words}, 0);
    std::iota(ids.begin(), ids.begin() + words, 0);
    const Tensor raw = embedding(ids, table.weight), times_root_d = table(ids);
    unscaled = found_again(raw, table.weight);
    scaled = found_again(times_root_d, table.weight);
    const double pe = mean_row_norm(sinusoidal_positions(words, d_model));
    claim(std::abs(mean_row_norm(raw) - 1) < 0.05, "a row of the table has a norm of about 1");
    claim(std::abs(pe - std::sqrt(d_model / 2.0)) < 1e-3, "a row of PE has the norm sqrt(D/2)");
    norms.row({std::to_string(d_model), fixed(mean_row_norm(raw), 2), fixed(pe, 2),
               fixed(mean_row_norm(times_root_d), 2), fixed(100 * unscaled, 1) + " %",
               fixed(100 * scaled, 1) + " %"});
  }
  norms.print();
  claim(scaled > 0.99 && unscaled < 0.5, "without the factor the positions drown the words");
  say("What counts is the size: a table drawn with variance 1, PyTorch's default, needs no "
      "factor.");
  finding("Unscaled, the position drowns the word: {} % of 1000 words are found again; scaled {} %",
          fixed(100 * unscaled, 1), fixed(100 * scaled, 1));
}

}  // namespace xf::lesson_01
