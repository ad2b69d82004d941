#include <algorithm>
#include <CLI/App.hpp>
#include <cstdio>
#include <iostream>

#include "07_transformer/search.hpp"
#include "commands.hpp"
#include "counting.hpp"
#include "machine.hpp"
#include "nn/parameters.hpp"
#include "ops/matmul/decoding_session.hpp"
#include "ops/reduce/reduce.hpp"
#include "program/config_flags.hpp"
#include "speech/show.hpp"
#include "table.hpp"
#include "tensor/parallel.hpp"
#include "workload.hpp"

namespace xf::bench {

namespace {

struct DecodeFlags {
  explicit DecodeFlags(CLI::App& app) : sizes(app) {
    const auto count = [&app](const char* name, int& value, const char* help) {
      return app.add_option(name, value, help)->check(positive_problem);
    };
    count("--out-len", out_len, "tokens to generate for each sentence")->default_str("tgt-len");
    count("--beam", beam, "beam width; 1 is greedy search")->capture_default_str();
    count("--runs", runs, "translations to time")->capture_default_str();
    count("--shards", shards, "parts of the batch that are translated in parallel")
        ->default_str("one per thread, of at least 8 sentences");
    app.add_option("--warmup", warmup, "warm-up translations, not timed")
        ->check(negative_problem)
        ->capture_default_str();
    app.add_flag("--cache,!--no-cache", cache,
                 "cache keys and values; without it, every step decodes all positions again");
    add_peak_flag(app, peak_size);
    add_precision_flag(app, precision);
    add_count_flag(app, counted);
  }
  SizeFlags sizes;
  int out_len = 0, beam = 1, runs = 11, shards = 0, warmup = 2, peak_size = 2048;
  bool cache = true, counted = false;
  WeightPrecision precision = WeightPrecision::float32;
};

using Tokens = std::vector<std::vector<int>>;  // a row a sentence

// A model that never ends a sentence, so that every search takes the maximum number of steps. For
// this, a tied model gets an output bias, which it does not have in training.
Transformer endless_model(const Sizes& sizes, std::uint64_t seed) {
  Random random(seed);
  TransformerConfig config = transformer_config(sizes, 0);
  config.output_bias = true;
  Transformer model(config, random);
  copy_into(model.output.bias, {-1e4f}, eos_id);
  return model;
}

// The rows [first, last).
Ids rows_of(const Ids& ids, int first, int last) {
  const std::ptrdiff_t columns = ids.size(1);
  return Ids({last - first, ids.size(1)},
             std::span(ids.begin() + first * columns, ids.begin() + last * columns));
}

// Chapter 7's search, stopped by its length limit.
Tokens translate_cached(const Transformer& model, const Ids& source, int out_len, int beam) {
  const int extra = out_len - 2 * source.size(1);
  Tokens tokens;
  for (Hypothesis& found : translate(model, source, {.beam = beam, .extra_length = extra})) {
    if (static_cast<int>(found.tokens.size()) != out_len)
      throw std::runtime_error("decode: the search took " + std::to_string(found.tokens.size()) +
                               " steps, not " + std::to_string(out_len));
    tokens.push_back(std::move(found.tokens));
  }
  return tokens;
}

// Greedy search that runs the decoder on the whole prefix at every step.
Tokens translate_plain(const Transformer& model, const Ids& source, int out_len) {
  const Mask mask = mask_of(source, source);
  const Tensor encoded = model.encode(source);
  const int batch = source.size(0), vocabulary = model.config.target_vocabulary;
  Tokens rows(static_cast<std::size_t>(batch), {bos_id});
  for (int t = 1; t <= out_len; ++t) {
    std::vector<std::int32_t> flat;
    for (const auto& row : rows) flat.insert(flat.end(), row.begin(), row.end());
    const Tensor x = model.decoder(model.embed(model.target_embedding, Ids({batch, t}, flat)),
                                   encoded, causal_mask(t, t), mask);  // (B, t, D)
    const Tensor logits = model.output(slice(x, 1, t - 1, 1));         // (B, 1, V)
    // never <pad>, <bos>, <eos>, as in the search
    const std::vector<int> best = argmax(slice(logits, -1, unk_id, vocabulary - unk_id));
    for (std::size_t b = 0; b < rows.size(); ++b) rows[b].push_back(unk_id + best[b]);
  }
  for (auto& row : rows) row.erase(row.begin());
  return rows;
}

Ids sources(const Sizes& sizes, std::uint64_t seed) {
  std::vector<std::int32_t> flat;
  for (const Example& pair : random_pairs(sizes, false, seed).pairs)
    flat.insert(flat.end(), pair.source.begin(), pair.source.end());
  return Ids({sizes.batch, sizes.src_len}, flat);
}

// Counts one step of the search: the extra cost of a translation that is one token longer.
int count(const DecodeFlags& flags, const CommonOptions& common) {
  const Counter counter(common);
  const Sizes sizes = flags.sizes.sizes(true);
  const Transformer model = endless_model(sizes, common.seed);
  const Ids source = sources(sizes, common.seed);
  const DecodingSession session(weights(model), flags.precision);
  const auto counts = [&](int steps) {
    return counter.of([&] { translate_cached(model, source, steps, flags.beam); });
  };
  counts(1);  // makes the one-time allocations
  const cuda::Counts shorter = counts(sizes.tgt_len);
  print_counts(counts(sizes.tgt_len + 1) - shorter, to_json(sizes));
  return 0;
}

int run(const DecodeFlags& flags, const CommonOptions& common) {
  if (!flags.cache && flags.beam > 1)
    throw UserError("--no-cache: beam search always uses the cache");
  if (flags.counted) return count(flags, common);
  warn_of_forced_blas();
  const Sizes sizes = flags.sizes.sizes();
  const int steps = flags.out_len > 0 ? flags.out_len : sizes.tgt_len;
  const int by_size = std::clamp(sizes.batch / 8, 1, threads());
  const int parts = std::min(flags.shards > 0 ? flags.shards : by_size, sizes.batch);
  const Transformer model = endless_model(sizes, common.seed);
  const Ids source = sources(sizes, common.seed);

  // one session for all runs, as when a whole text is translated
  const DecodingSession session(weights(model), flags.precision);
  const auto decode = [&](bool cache) {
    std::vector<Tokens> found(static_cast<std::size_t>(parts));
    run_parallel(parts, [&](int i) {
      const Ids rows = rows_of(source, sizes.batch * i / parts, sizes.batch * (i + 1) / parts);
      found[static_cast<std::size_t>(i)] = cache ? translate_cached(model, rows, steps, flags.beam)
                                                 : translate_plain(model, rows, steps);
    });
    return found;
  };
  const bool agree = flags.beam > 1 || decode(true) == decode(false);
  if (!agree)
    std::cerr << words("warning: cached and plain decoding differ (near-ties?)").str() << '\n';
  const std::vector<double> times =
      times_ms(flags.warmup, flags.runs, [&] { decode(flags.cache); });
  const double ms = median(times), rss = peak_rss_mb(), peak = sgemm_peak(flags.peak_size);
  const double gflops = decoding_flops(sizes, steps, flags.beam, flags.cache) / ms / 1e6;
  const double tokens = double(sizes.batch) * steps;
  const double least = *std::min_element(times.begin(), times.end());
  print_line(words("{} sentences, {} tokens each, beam {}, cache {}, {} in parallel", sizes.batch,
                   steps, flags.beam, flags.cache ? "on" : "off", parts));
  print_line(words("{} ms a batch (fastest {}), {} a step  {} GFLOP/s", fixed(ms, 2),
                   fixed(least, 2), fixed(ms / steps, 4), fixed(gflops, 0))
                 .str() +
             share_of_peak(gflops, peak));
  std::fflush(stdout);

  nlohmann::ordered_json json = {{"tokens_per_s", tokens / ms * 1e3},
                                 {"ms_per_step", ms / steps},
                                 {"ms_per_batch", ms},
                                 {"ms_min", least},
                                 {"out_tokens", long(tokens)},
                                 {"out_len", steps}};
  json.update(machine_record(gflops, peak));
  json["peak_rss_mb"] = rss;
  json["precision"] = name(flags.precision);
  json["cache"] = flags.cache;
  json["beam"] = flags.beam;
  json["cache_agrees"] = agree;
  json["shards"] = parts;
  json["config"] = to_json(sizes);
  std::cout << json.dump() << '\n';
  return 0;
}

}  // namespace

Command add_decode(CLI::App& app) { return command<DecodeFlags>(app, run); }

}  // namespace xf::bench
