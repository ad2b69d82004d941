#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "08_transformer_xl/program/language_text.hpp"
#include "09_since_2017/decoder_only.hpp"

namespace xf::since_2017 {

// One of the models that are compared. The first has everything new since 2017; each of the others
// replaces one part by its 2017 version, and the last replaces all of them.
struct Variant {
  std::string name;
  DecoderConfig config;
  bool sinusoidal = false;  // the table of positions is chapter 1's, and is not trained
};

struct AblationOptions {
  int d_model = 64, d_ff = 168, layers = 3, heads = 4, key_value_heads = 2;
  int segment = 64, batch = 8;
  int updates = 2000, valid_every = 250, seeds = 3;
  double lr = 3e-3;
  int warmup = 100;
  double clip = 1;

  template <class Visitor>
  void visit(Visitor&& v) {
    v("d_model", d_model, "width of the model");
    v("d_ff", d_ff, "hidden width of the gated network; the others' follows from it");
    v("layers", layers, "layers");
    v("heads", heads, "query heads");
    v("key_value_heads", key_value_heads, "key and value heads that they share");
    v("segment", segment, "maximum tokens that a prediction sees");
    v("batch", batch, "streams of the text read in parallel");
    v("updates", updates, "updates of each training");
    v("valid_every", valid_every, "updates between validations");
    v("seeds", seeds, "training runs of each model, with different initial weights");
    v("lr", lr, "learning rate, constant after the warm-up");
    v("warmup", warmup, "updates until the learning rate reaches it");
    v("clip", clip, "clip the gradient's norm to this (0: never)");
  }
};

// Throws ConfigError for a value that no model or training can have.
void check_options(const AblationOptions& options);

// All have as many parameters as the first, to within half a hidden unit per layer: their d_ff
// compensates for the differences between the parts.
std::vector<Variant> variants(const AblationOptions& options, int vocabulary);

// The model of a variant, initialised from a seed.
DecoderOnly make_model(const Variant& variant, std::uint64_t seed);
std::int64_t parameters_of(const Variant& variant);
// The bytes per position in the cache, measured on a filled one.
std::int64_t cache_bytes(const Variant& variant);

// A point on a training curve.
struct Point {
  int updates;
  double seconds;  // CPU time of the updates alone
  double nats;     // per token, on the held-out text
};
using Curve = std::vector<Point>;

// Adam on the segments of the text, each without a past. The trainings of one seed alternate every
// `valid_every` updates, so that occasional load on the machine slows all of them alike. returns
// one curve for each; none when interrupted (Ctrl-C)
std::vector<Curve> train_side_by_side(const std::vector<Variant>& variants,
                                      const AblationOptions& options,
                                      const language::LanguageText& train,
                                      const language::LanguageText& valid, std::uint64_t seed);

// The loss after this many seconds, interpolated between two points; after the last, its loss.
double nats_at(const Curve& curve, double seconds);

// The measurements: curves[seed][variant].
struct Ablation {
  std::vector<Variant> variants;
  std::vector<std::vector<Curve>> curves;
};

// Prints the table, and writes ablation.csv and ablation.svg into `out`.
void report(const Ablation& ablation, std::uint64_t first_seed, const std::string& out);

}  // namespace xf::since_2017
