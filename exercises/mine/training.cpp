// The loss and the updates, made of parts.

#include <algorithm>
#include <map>

#include "io/utf8.hpp"
#include "mine/parts.hpp"
#include "ops/cross_entropy/cross_entropy.hpp"
#include "text/bleu.hpp"
#include "train/adam.hpp"
#include "train/exchange/gradient_sums.hpp"
#include "train/schedule.hpp"

#undef Adam
#undef cross_entropy
#undef cross_entropy_in_place
#undef clip
#undef bleu

namespace xf {

using namespace mine;

Tensor mine::cross_entropy(Tensor logits, const Ids& targets, const CrossEntropyOptions& options) {
  const Parts& own = parts();
  if (!own.smoothed_cross_entropy && !own.cross_entropy_backward)
    return xf::cross_entropy_in_place(std::move(logits), targets, options);
  const std::vector<std::int32_t> ids = targets.values();
  const auto counted = ids.size() - std::size_t(std::count(ids.begin(), ids.end(), options.ignore));
  const float share =
      options.divisor > 0 ? static_cast<float>(double(counted) / options.divisor) : 1.0f;
  OpOfParts whole{{"loss of parts", "the mean of -sum_v q_v log p_v", "dlogits"},
                  [=](const Tensors& in) { return xf::cross_entropy(in[0], targets, options); }};
  whole.forward = if_any(own.smoothed_cross_entropy, [&](const Tensors& in) {
    const float mean =
        own.smoothed_cross_entropy(rows_of(in[0]), ids, options.smoothing, options.ignore);
    return Tensor::from({}, {share * mean});
  });
  whole.backward = if_any(own.cross_entropy_backward, [=](const Tensors& in, const Tensor& dloss) {
    const Matrix d =
        parts().cross_entropy_backward(rows_of(in[0]), ids, options.smoothing, options.ignore);
    const Matrix shared = d * (share * dloss.item());
    return Tensors{from_xt(shared)};
  });
  return whole({&logits});
}

// The exercise's Adam updates one vector: each parameter has its own, kept where the book's is.
void mine::Adam::step(const GradientSums& g, double learning_rate) {
  if (!parts().adam || options_.weight_decay > 0) return xf::Adam::step(g, learning_rate);
  auto kept = state();  // handles: m and v of each parameter
  for (std::size_t p = 0; p < g.of.size(); ++p) {
    if (!g.of[p].defined()) continue;
    Tensor &m = kept[2 * p].second, &v = kept[2 * p + 1].second, &w = *parameters_[p].tensor;
    const auto doubles = [](const Tensor& x) {
      const Values numbers = x.values();
      return Numbers(numbers.begin(), numbers.end());
    };
    Numbers now = doubles(w), by = doubles(g.of[p]);
    for (double& number : by) number *= g.scale;
    Moments moments{options_.beta1, options_.beta2, options_.epsilon,
                    doubles(m),     doubles(v),     steps()};
    if (steps() == 0) moments.m = moments.v = {};
    parts().adam(moments, now, by, learning_rate);
    const auto floats = [](const Numbers& x) { return std::vector<float>(x.begin(), x.end()); };
    copy_into(w, floats(now));
    copy_into(m, floats(moments.m));
    copy_into(v, floats(moments.v));
  }
  restore(steps() + 1, kept);
}

double mine::clip(GradientSums& g, double longest) {
  if (!parts().clip || longest <= 0) return xf::clip(g, longest);
  std::vector<Matrix> all;
  for (const Tensor& one : g.of)
    if (one.defined()) all.push_back(to_xt<2>(one.view({1, static_cast<int>(one.count())})));
  g.norm = parts().clip(all, static_cast<float>(longest));
  std::size_t next = 0;
  for (Tensor& one : g.of)
    if (one.defined()) one = shaped(all[next++], one.shape());
  return g.norm;
}

double Schedule::operator()(int t, double progress) const {
  if (kind == ScheduleKind::noam && parts().inverse_root)
    return parts().inverse_root(t, peak, warmup);
  return ScheduleOfTheBook{kind, peak, warmup}(t, progress);
}

// The exercise counts words given as numbers.
Bleu mine::bleu(const std::vector<std::string>& hypotheses,
                const std::vector<std::string>& references, const BleuOptions& options) {
  Bleu found = xf::bleu(hypotheses, references, options);
  if (!parts().bleu) return found;
  std::map<std::string, int> numbers;
  const auto counted = [&](const std::vector<std::string>& lines) {
    std::vector<Words> all;
    for (const std::string& line : lines) {
      all.emplace_back();
      for (const std::string& word : bleu_tokens(line, options))
        all.back().push_back(numbers.try_emplace(word, int(numbers.size())).first->second);
    }
    return all;
  };
  const std::vector<Words> said = counted(hypotheses), wanted = counted(references);
  found.score = parts().bleu(said, wanted);
  return found;
}

}  // namespace xf
