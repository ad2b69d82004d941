#include "08_transformer_xl/experiments/context_length.hpp"
#include "tensor/portable_math.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace xf::language {

namespace {

constexpr double threshold = 0.01;
constexpr std::size_t offsets_at_once = 64;

// The contexts of the offsets [first, last), one per row.
Ids contexts_of(const LanguageText& text, const std::vector<std::ptrdiff_t>& offsets,
                std::size_t first, std::size_t last, int context) {
  std::vector<std::int32_t> ids;
  for (std::size_t i = first; i < last; ++i)
    for (std::int32_t id : text.ids.read(offsets[i] - context + 1, context)) ids.push_back(id);
  return Ids({static_cast<int>(last - first), context}, ids);
}

// The last state of every row, with a memory of all earlier tokens.   returns (B, 1, D)
Tensor last_states(const AnySegmentModel& model, const Ids& ids) {
  const int rows = ids.size(0), context = ids.size(1);
  Memory memory = model.start();
  memory.extended_length = 0;
  const bool recurrent = memory.memory_length > 0;
  if (recurrent) memory.memory_length = context;
  const int segment = recurrent ? model.config.segment : context;
  Tensor h;
  // The first piece takes the remainder, so that the last one is a whole segment.
  for (int begin = 0, end = (context - 1) % segment + 1; begin < context;
       begin = end, end += segment) {
    Ids piece = Ids::full({rows, end - begin}, 0);
    for (int row = 0; row < rows; ++row)
      std::copy_n(ids.begin() + std::ptrdiff_t(row) * context + begin, end - begin,
                  piece.begin() + std::ptrdiff_t(row) * (end - begin));
    h = model.hidden(piece, memory);
  }
  return slice(h, 1, h.size(1) - 1, 1);
}

// b(c, t) for the k-th context.
std::vector<float> best_of(const std::vector<LossesByContext>& losses, std::size_t k) {
  std::vector<float> best = losses[0][k];
  for (const LossesByContext& of_model : losses)
    for (std::size_t t = 0; t < best.size(); ++t) best[t] = std::min(best[t], of_model[k][t]);
  return best;
}

// The positions with the largest values, a share `ratio` of all, at least one.
std::vector<std::size_t> hardest(const std::vector<float>& best, double ratio) {
  std::vector<std::size_t> order(best.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return best[a] > best[b]; });
  const double kept = std::ceil(ratio * double(best.size()));
  order.resize(std::max<std::size_t>(1, static_cast<std::size_t>(kept)));
  return order;
}

}  // namespace

std::vector<float> losses_with_context(const AnySegmentModel& model, const LanguageText& text,
                                       const std::vector<std::ptrdiff_t>& offsets, int context) {
  const TransformerXlConfig& config = model.config;
  if (config.kind == ModelKind::vanilla) context = std::min(context, config.segment);
  std::vector<float> losses;
  for (std::size_t first = 0; first < offsets.size(); first += offsets_at_once) {
    const std::size_t last = std::min(offsets.size(), first + offsets_at_once);
    const Tensor h = last_states(model, contexts_of(text, offsets, first, last, context));
    Ids expected = Ids::full({static_cast<int>(last - first), 1}, 0);
    for (std::size_t i = first; i < last; ++i)
      expected[i - first] = text.ids.read(offsets[i] + 1, 1)[0];
    for (float log_p : model.output.log_likelihood(h, expected)) losses.push_back(-log_p);
  }
  return losses;
}

double relative_gain(const std::vector<LossesByContext>& losses, std::size_t model, std::size_t k,
                     double ratio) {
  const std::vector<float> best = best_of(losses, k);
  const auto relative_loss = [&](const std::vector<std::size_t>& positions, std::size_t longer) {
    double sum = 0;
    for (std::size_t t : positions) sum += std::min(best[t], losses[model][longer][t]);
    return sum / double(positions.size());
  };
  const std::vector<std::size_t> positions = hardest(best, ratio);
  return 1 - portable::exp(relative_loss(positions, k + 1) - relative_loss(positions, k));
}

std::size_t relative_effective_context(const std::vector<LossesByContext>& losses,
                                       std::size_t model, double ratio) {
  std::size_t k = 0;
  while (k + 1 < losses[model].size() && relative_gain(losses, model, k, ratio) >= threshold) ++k;
  return k;
}

}  // namespace xf::language
