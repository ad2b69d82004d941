#include "02_attention/multi_head_attention.hpp"
#include "09_since_2017/decoder_only.hpp"
#include "09_since_2017/lesson.hpp"
#include "speech/show.hpp"

namespace xf::since_2017 {

namespace {

// A small model whose R = heads / groups query heads share a head of keys.
DecoderConfig small_config(int groups) {
  DecoderConfig config;
  config.vocabulary = 11, config.d_model = 8, config.d_ff = 12, config.layers = 2;
  config.heads = 4, config.key_value_heads = groups, config.d_k = 4;
  return config;
}

// Repeats the rows of each of the `groups` heads of a weight `times` times.
Tensor repeated_heads(const Tensor& weight, int groups, int times) {
  const int d_k = weight.size(0) / groups;
  std::vector<int> rows;
  for (int head = 0; head < groups * times; ++head)
    for (int i = 0; i < d_k; ++i) rows.push_back(head / times * d_k + i);
  return gather_rows(weight, rows);
}

// The bytes per position in a cache.
std::int64_t bytes_a_position(const DecoderOnly::Cache& cache) {
  std::int64_t bytes = 0;
  for (const GroupedCache& layer : cache)
    bytes += std::int64_t{layer.k.width() + layer.v.width()} * 4;
  return bytes;
}

}  // namespace

void grouped_section(Random& random) {
  section("Query heads that share their keys");
  say("Each step of decoding reads the keys and values of all positions before it. Grouped-query "
      "attention (Ainslie et al. 2023) keeps fewer of them. It has H query heads, but only G heads "
      "of keys and values, and H / G query heads share each of these.");
  DecoderConfig config = small_config(2);
  config.d_k = 2;  // heads * d_k is d_model, as in chapter 2
  const GroupedAttention grouped(config, "attention", drawn(random, 0.5), 0);
  MultiHeadAttention every(config.d_model, config.heads, 0, random);
  every.w_q.weight = grouped.w_q.weight, every.w_o.weight = grouped.w_o.weight;
  every.w_k.weight = repeated_heads(grouped.w_k.weight, 2, 2);
  every.w_v.weight = repeated_heads(grouped.w_v.weight, 2, 2);
  const Tensor x = normal({1, 5, config.d_model}, 1, random);
  agree("chapter 2's attention gives the same result if each key head is duplicated",
        grouped(x, Tensor()), every(x, x, causal_mask(5, 5)));

  say("With two layers and heads of 4 numbers, one position takes this many bytes in the cache:");
  Table table({"H", "G", "bytes"});
  std::vector<std::int64_t> bytes;
  for (const int groups : {4, 2, 1}) {
    const DecoderOnly model(small_config(groups), drawn(random, 0.5));
    DecoderOnly::Cache cache;
    const std::vector<int> text = {3, 1, 4, 1, 5, 9, 2, 6};
    model.next_logits(Ids({1, 7}, std::span(text).first(7)), cache);
    const Tensor step = model.next_logits(Ids({1, 1}, {text.back()}), cache);
    const Tensor whole = model.logits(Ids({1, 8}, text));
    agree("a step with the cache gives the logits of the whole text", step, slice(whole, 1, 7, 1));
    bytes.push_back(bytes_a_position(cache));
    table.row({"4", std::to_string(groups), std::to_string(bytes.back())});
  }
  table.print();
  claim(bytes[0] == 2 * bytes[1] && bytes[0] == 4 * bytes[2],
        "half of the heads take half of the bytes, one head a quarter");

  say("In a model of 0.5 billion parameters with 24 layers and 14 heads of 64 numbers (Qwen2), "
      "the cache of 4096 positions in float32 takes:");
  Table sizes({"G", "MiB"});
  for (const int groups : {14, 2, 1})
    sizes.row({std::to_string(groups), fixed(4096.0 * 24 * 2 * groups * 64 * 4 / (1 << 20), 0)});
  sizes.print();
  finding("G heads of keys and values instead of H: the cache is H / G times smaller.");
}

}  // namespace xf::since_2017
