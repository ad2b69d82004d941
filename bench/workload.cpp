#include "workload.hpp"

#include <algorithm>
#include <random>

#include "tensor/error.hpp"
#include "text/vocabulary.hpp"

namespace xf::bench {

namespace {

// torch.Generator on the CPU is this engine, and torch.randint(low, high) uses one number per draw.
int draw(std::mt19937& generator, int low, int high) {
  return low + static_cast<int>(generator() % static_cast<std::uint32_t>(high - low));
}

std::vector<std::vector<int>> random_rows(int batch, int length, int vocabulary, bool ragged,
                                          std::mt19937& generator) {
  std::vector<std::vector<int>> rows(static_cast<std::size_t>(batch));
  for (auto& row : rows)
    for (int i = 0; i < length; ++i) row.push_back(draw(generator, 3, vocabulary));
  if (!ragged) return rows;
  for (std::size_t b = 0; b < rows.size(); ++b) {
    const int size = draw(generator, std::max(1, length * 3 / 8), length + 1);
    if (b > 0) rows[b].resize(static_cast<std::size_t>(size));
  }
  return rows;
}

// Multiply-adds of one layer, except for attention's two products (d: d_model, f: d_ff).
double encoder_weights(double d, double f) { return 4 * d * d + 2 * d * f; }  // per source token
double decoder_weights(double d, double f) { return 6 * d * d + 2 * d * f; }  // per target token
double memory_weights(double d) { return 2 * d * d; }  // cross attention's K, V, per source token

// Q K^T and the weighted sum of V, all heads together, for one query.
double attention(double d, double keys) { return 2 * d * keys; }

}  // namespace

Workload random_pairs(const Sizes& sizes, bool ragged, std::uint64_t seed) {
  const int target_row = sizes.tgt_len + 1;
  if (ragged && target_row * 3 / 8 < 2)
    throw UserError("--ragged: --tgt-len must be at least 5, not {}", sizes.tgt_len);
  std::mt19937 generator(static_cast<std::uint32_t>(seed));
  auto sources = random_rows(sizes.batch, sizes.src_len, sizes.src_vocab, ragged, generator);
  auto targets = random_rows(sizes.batch, target_row, sizes.tgt_vocab, ragged, generator);
  Workload work;
  for (std::size_t b = 0; b < sources.size(); ++b) {
    // A row of n tokens has n - 1 to predict; make_batch() adds <bos> and <eos> at its ends.
    work.pairs.push_back({sources[b], {targets[b].begin() + 1, targets[b].end() - 1}});
    work.source_tokens += static_cast<long>(sources[b].size());
    work.target_tokens += static_cast<long>(targets[b].size()) - 1;
  }
  return work;
}

double training_flops(const Sizes& sizes, const std::vector<Example>& pairs) {
  const double d = sizes.d_model, f = sizes.d_ff;
  double products = 0;
  for (const Example& pair : pairs) {
    const double s = double(pair.source.size()), t = double(pair.target.size()) + 1;
    const double encoder = s * (encoder_weights(d, f) + attention(d, s));
    const double decoder =
        t * (decoder_weights(d, f) + attention(d, t) + attention(d, s)) + s * memory_weights(d);
    products += sizes.layers * (encoder + decoder) + t * d * sizes.tgt_vocab;
  }
  return 3 * 2 * products;
}

double decoding_flops(const Sizes& sizes, int out_len, int beam, bool cache) {
  const double d = sizes.d_model, f = sizes.d_ff, s = sizes.src_len;
  double products = sizes.layers * s * (encoder_weights(d, f) + attention(d, s));
  if (cache) products += sizes.layers * s * memory_weights(d);
  for (int t = 1; t <= out_len; ++t) {
    const double positions = cache ? 1 : t;
    double layer = positions * (decoder_weights(d, f) + attention(d, t) + attention(d, s));
    if (!cache) layer += s * memory_weights(d);
    products += beam * (sizes.layers * layer + d * sizes.tgt_vocab);
  }
  return 2 * sizes.batch * products;
}

}  // namespace xf::bench
