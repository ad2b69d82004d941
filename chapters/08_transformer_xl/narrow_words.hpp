#pragma once

#include <cmath>
#include <vector>

#include "08_transformer_xl/config.hpp"
#include "nn/init.hpp"
#include "ops/elementwise/elementwise.hpp"
#include "ops/embedding/embedding.hpp"
#include "ops/linear/linear.hpp"
#include "ops/shape/shape_ops.hpp"

namespace xf {

// Word vectors narrower than the model, as in the published code: d_0 = d_embed numbers for a word
// of the head, d_i = d_embed / div_val^i for a rarer one of cluster i. Projections P_i, (D, d_i),
// map them to the width of the model, and the model's states back to the words' width:
//   E(w)    = sqrt(D) P_i e_w                  Baevski and Auli 2018, 3
//   logit_w = e_w . (P_i^T h) + b_w
// The table of the head's words is passed in, instead of the table of all words; with div_val = 1
// it contains all words, and the input has a single projection.
struct NarrowWords {
  std::vector<Tensor> tables;       // (V_i, d_i) of the clusters i = 1, 2, ...; none if div_val = 1
  std::vector<Tensor> projections;  // P_0, P_1, ...; none: words are as wide as the model

  // ids: any shape   head: (V_0, d_0), or (V, d_0)   returns (..., D), E(w)
  // Throws std::invalid_argument for an id outside [0, V).
  Tensor embed(const Ids& ids, const Tensor& head) const {
    const int d_model = projections[0].size(0);
    Tensor words;  // (1, N, D), those of the head first, then those of each cluster
    std::vector<int> row_of(static_cast<std::size_t>(ids.count()));  // per id, its row in `words`
    int begin = 0, rows = 0;
    for (std::size_t i = 0; i <= tables.size(); ++i) {
      const Tensor& table = i == 0 ? head : tables[i - 1];
      const int end = begin + table.size(0);
      std::vector<std::int32_t> members;
      for (int n = 0; n < ids.count(); ++n) {
        const bool before = i > 0 && ids[n] < begin, after = i < tables.size() && ids[n] >= end;
        if (before || after) continue;
        row_of[static_cast<std::size_t>(n)] = rows++;
        members.push_back(ids[n] - begin);
      }
      begin = end;
      if (members.empty()) continue;
      const Ids inside({1, static_cast<int>(members.size())}, members);
      const Tensor wide = linear(embedding(inside, table), projections[i], {});  // (1, Ni, D)
      words = words.defined() ? concat(words, wide, 1) : wide;
    }
    const float root_d = std::sqrt(static_cast<float>(d_model));
    Shape shape = ids.shape();
    shape.append(d_model);
    const Tensor in_order = gather_rows(reshape(words, {rows, d_model}), row_of);  // (N, D)
    return scale(reshape(in_order, shape), root_d);                                // (..., D)
  }

  // The states at the width of the words of cluster i, or of the head (0): P_i^T h.
  //   h: (..., D)   returns (..., d_i); h itself if words are as wide as the model
  Tensor seen(const Tensor& h, int i) const {
    if (projections.empty()) return h;
    return linear(h, transpose(projections[static_cast<std::size_t>(i)]), {});
  }

  template <class Visitor>
  void visit(Visitor&& v) {
    v("tables", tables);
    v("projections", projections);
  }
};

// The number of words in the table that is not in NarrowWords: the head's, or all.
inline int words_of_table(const TransformerXlConfig& c) {
  const std::vector<int> cutoffs = cutoff_list(c.cutoffs, c.vocabulary);
  return c.div_val > 1 && !cutoffs.empty() ? cutoffs[0] : c.vocabulary;
}

// The narrow words of the input, drawn from `random`; empty if the config has none.
inline NarrowWords words_of_input(const TransformerXlConfig& c, Random& random) {
  NarrowWords words;
  if (!has_projections(c)) return words;
  const std::vector<int> widths = word_widths(c), cutoffs = cutoff_list(c.cutoffs, c.vocabulary);
  for (std::size_t i = 0; i < widths.size(); ++i) {
    if (i > 0 && c.div_val == 1) break;
    words.projections.push_back(normal({c.d_model, widths[i]}, 0.01, random));
    if (i == 0) continue;
    const int end = i < cutoffs.size() ? cutoffs[i] : c.vocabulary;
    words.tables.push_back(normal({end - cutoffs[i - 1], widths[i]}, 0.02, random));
  }
  return words;
}

// The narrow words of the output: the same number of tables, shared with the input if `tied`; a
// projection for the head and for each cluster, shared according to `tied_projections`.
inline NarrowWords words_of_output(const TransformerXlConfig& c, const NarrowWords& input,
                                   Random& random) {
  if (input.projections.empty()) return {};
  NarrowWords words = words_of_input(c, random);
  if (c.tied) words.tables = input.tables;
  const std::vector<int> widths = word_widths(c);
  words.projections.clear();
  for (std::size_t i = 0; i < widths.size(); ++i) {
    const bool tied = c.tied_projections == TiedProjections::all ||
                      (c.tied_projections == TiedProjections::clusters && i > 0);
    words.projections.push_back(tied ? input.projections[c.div_val == 1 ? 0 : i]
                                     : normal({c.d_model, widths[i]}, 0.01, random));
  }
  return words;
}

}  // namespace xf
