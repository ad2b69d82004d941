#pragma once

#include <algorithm>
#include <vector>

#include "08_transformer_xl/narrow_words.hpp"
#include "nn/init.hpp"
#include "ops/cross_entropy/cross_entropy.hpp"
#include "ops/elementwise/elementwise.hpp"
#include "ops/linear/linear.hpp"
#include "ops/shape/shape_ops.hpp"

namespace xf {

// The output layer of a language model. Ids are sorted by decreasing frequency (as in Vocabulary):
// those below the first cutoff form the head, the rarer ones form clusters. The head is a softmax
// over its words plus one entry per cluster; a cluster's own softmax is computed only for targets
// in it:
//   p(w | h) = p_head(w | h)                            w in the head
//            = p_head(cluster | h) p_cluster(w | h)     otherwise      Grave et al. 2017, 4
// so that -log p is one cross-entropy, or the sum of two. By default all clusters have the full
// width D (div_val = 1 in the published code), and `weight` can be the embedding table; with
// d_embed or div_val, h is first projected to the width of narrower word vectors. Without cutoffs,
// this is a plain softmax. Unlike here, the published code numbers the cluster entries from the
// end.
struct AdaptiveSoftmax {
  std::vector<int> cutoffs;             // where the clusters begin
  Tensor weight;                        // (V, D)
  Tensor bias;                          // (V)
  Tensor cluster_weight, cluster_bias;  // (C, D), (C); undefined without clusters
  NarrowWords narrow;                   // none, unless d_embed or div_val is set

  AdaptiveSoftmax(int vocabulary, int d_model, std::vector<int> cluster_starts, Random& random)
      : cutoffs(std::move(cluster_starts)),
        weight(normal({vocabulary, d_model}, 0.02, random)),
        bias(constant({vocabulary}, 0)) {
    if (cutoffs.empty()) return;
    cluster_weight = normal({clusters(), d_model}, 0.02, random);
    cluster_bias = constant({clusters()}, 0);
  }

  int clusters() const { return static_cast<int>(cutoffs.size()); }
  // The ids of cluster c are [begin(c), begin(c + 1)).
  int begin(int c) const {
    return c < clusters() ? cutoffs[static_cast<std::size_t>(c)] : bias.size(0);
  }
  // The cluster of an id, or -1 for the head.
  int cluster_of(int id) const {
    return static_cast<int>(std::upper_bound(cutoffs.begin(), cutoffs.end(), id) -
                            cutoffs.begin()) -
           1;
  }

  // h: (..., D)   returns (..., V), or (..., cutoffs[0] + C)
  Tensor head(const Tensor& h) const {
    if (cutoffs.empty()) return linear(h, weight, bias);
    const Tensor w = concat(slice(weight, 0, 0, begin(0)), cluster_weight, 0);  // (V0 + C, D)
    const Tensor b = concat(slice(bias, 0, 0, begin(0)), cluster_bias, 0);      // (V0 + C)
    return linear(h, w, b);
  }
  // h: (..., D)   returns (..., Vc)
  Tensor tail(const Tensor& h, int c) const {
    const int count = begin(c + 1) - begin(c);
    const Tensor w = narrow.tables.empty() ? slice(weight, 0, begin(c), count)
                                           : narrow.tables[static_cast<std::size_t>(c)];
    return linear(h, w, slice(bias, 0, begin(c), count));
  }

  // The sum over the rows of -log p(target), divided by `divisor` (0: by the number of counted
  // rows); rows with the target `ignore` are not counted.
  //   h: (..., D)   targets: one per row of h   returns a scalar
  // Throws std::invalid_argument when a target is neither ignored nor in [0, V).
  Tensor loss(const Tensor& h, const Ids& targets, const CrossEntropyOptions& options = {}) const {
    if (cutoffs.empty()) return cross_entropy_in_place(head(narrow.seen(h, 0)), targets, options);
    if (options.smoothing != 0)
      throw std::invalid_argument("adaptive_softmax: no label smoothing over clusters");
    const Split split = split_targets(targets, options.ignore);
    const double divisor = options.divisor == 0 ? split.counted : options.divisor;
    Tensor total =
        cross_entropy_in_place(head(narrow.seen(h, 0)), split.head, {.divisor = divisor});
    const Tensor rows = reshape(h, {h.shape().rows(), h.size(-1)});  // (N, D)
    for (int c = 0; c < clusters(); ++c) {
      const Members& in = split.clusters[static_cast<std::size_t>(c)];
      if (in.rows.empty()) continue;
      total =
          total + cross_entropy_in_place(tail(narrow.seen(gather_rows(rows, in.rows), c + 1), c),
                                         ids_of(in.targets), {.divisor = divisor});
    }
    return total;
  }

  // log p(target) of every row; 0 where it is ignored. Not differentiable.
  std::vector<float> log_likelihood(const Tensor& h, const Ids& targets,
                                    std::int32_t ignore = -1) const {
    const Split split = split_targets(targets, ignore);
    std::vector<float> log_p = xf::log_likelihood(head(narrow.seen(h, 0)), split.head);
    const Tensor rows = reshape(h, {h.shape().rows(), h.size(-1)});
    for (int c = 0; c < clusters(); ++c) {
      const Members& in = split.clusters[static_cast<std::size_t>(c)];
      if (in.rows.empty()) continue;
      const std::vector<float> inside = xf::log_likelihood(
          tail(narrow.seen(gather_rows(rows, in.rows), c + 1), c), ids_of(in.targets));
      for (std::size_t i = 0; i < in.rows.size(); ++i)
        log_p[static_cast<std::size_t>(in.rows[i])] += inside[i];
    }
    return log_p;
  }

  // Without clusters, differentiable logits. With clusters, log p of every word, which are logits
  // too but not differentiable: for generation.
  //   h: (..., D)   returns (..., V)
  Tensor logits(const Tensor& h) const {
    if (cutoffs.empty()) return head(narrow.seen(h, 0));
    const Tensor log_head = log_softmax_in_place(head(narrow.seen(h, 0)));  // (..., V0 + C)
    Tensor all = slice(log_head, -1, 0, begin(0));                          // (..., V0)
    for (int c = 0; c < clusters(); ++c) {
      Tensor log_p = log_softmax_in_place(tail(narrow.seen(h, c + 1), c));  // (..., Vc)
      const int columns = log_p.size(-1), entries = log_head.size(-1);
      const Values of_head = log_head.values();
      std::ptrdiff_t i = 0;
      replace_each(log_p,
                   [&](float p) { return p + of_head[i++ / columns * entries + begin(0) + c]; });
      all = concat(all, log_p, -1);
    }
    return all;
  }

  template <class Visitor>
  void visit(Visitor&& v) {
    v("weight", weight);
    v("bias", bias);
    v("cluster_weight", cluster_weight);
    v("cluster_bias", cluster_bias);
    v("narrow", narrow);
  }

 private:
  struct Members {
    std::vector<int> rows;              // rows whose target lies in the cluster
    std::vector<std::int32_t> targets;  // counted from the cluster's first id
  };
  struct Split {
    Ids head;  // the target, or its cluster's entry; -1 where it is ignored
    std::vector<Members> clusters;
    int counted = 0;
  };

  static Ids ids_of(const std::vector<std::int32_t>& ids) {
    return Ids({static_cast<int>(ids.size())}, ids);
  }

  Split split_targets(const Ids& targets, std::int32_t ignore) const {
    Split split{Ids(targets.shape(), targets.values()), std::vector<Members>(cutoffs.size())};
    for (int row = 0; row < targets.count(); ++row) {
      const std::int32_t id = targets[row];
      if (id == ignore) split.head[row] = -1;
      if (id == ignore) continue;
      if (id < 0 || id >= bias.size(0))
        throw std::invalid_argument("adaptive_softmax: target " + std::to_string(id) +
                                    " of a vocabulary of " + std::to_string(bias.size(0)));
      ++split.counted;
      const int c = cluster_of(id);
      if (c < 0) continue;
      split.head[row] = begin(0) + c;
      split.clusters[static_cast<std::size_t>(c)].rows.push_back(row);
      split.clusters[static_cast<std::size_t>(c)].targets.push_back(id - begin(c));
    }
    return split;
  }
};

}  // namespace xf
