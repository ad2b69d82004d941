#include "sizes.hpp"

#include <algorithm>
#include <CLI/App.hpp>
#include <map>

#include "io/config.hpp"
#include "program/program.hpp"

namespace xf::bench {

namespace {

const std::map<std::string, Sizes> presets = {
    //            d_model d_ff heads layers batch src tgt src_vocab tgt_vocab tie
    {"toy", {512, 2048, 8, 6, 1, 7, 7, 10, 10, false}},
    {"multi30k", {256, 512, 8, 3, 128, 16, 16, 8000, 6000, false}},
    {"base", {512, 2048, 8, 6, 32, 32, 32, 8000, 8000, true}},
};

}  // namespace

Sizes preset(const std::string& name) {
  const auto found = presets.find(name);
  if (found == presets.end())
    throw UserError("--preset: expected toy, multi30k or base, not '{}'", name);
  return found->second;
}

SizeFlags::SizeFlags(CLI::App& app) {
  app.add_option("--preset", preset_, "toy, multi30k or base")->capture_default_str();
  for (const SizeField& field : size_fields)
    app.add_option(flag_name(field.name), given_.*field.member, field.help)
        ->check(positive_problem)
        ->default_str("the preset's");
  app.add_flag_callback(
      "--tie", [this] { tie_ = true; }, "one matrix for both embeddings and the output projection");
  app.add_flag_callback(
      "--no-tie", [this] { tie_ = false; }, "three separate matrices, and an output bias");
}

Sizes SizeFlags::sizes(bool small) const {
  Sizes sizes = preset(preset_);
  if (small)
    sizes = {.d_model = 8 * sizes.heads,
             .d_ff = 16 * sizes.heads,
             .heads = sizes.heads,
             .layers = sizes.layers,
             .batch = 2,
             .src_len = 6,
             .tgt_len = 6,
             .src_vocab = 96,
             .tgt_vocab = 96,
             .tie = sizes.tie};
  for (const SizeField& field : size_fields)
    if (given_.*field.member > 0) sizes.*field.member = given_.*field.member;
  sizes.tie = tie_.value_or(sizes.tie);
  if (sizes.tie && sizes.src_vocab != sizes.tgt_vocab)
    throw UserError("--tie: one matrix needs one vocabulary, not {} and {}", sizes.src_vocab,
                    sizes.tgt_vocab);
  if (std::min(sizes.src_vocab, sizes.tgt_vocab) < 4)
    throw UserError("--src-vocab, --tgt-vocab: at least 4, as random tokens start at id 3");
  as_flags([&] { layer_sizes(transformer_config(sizes, 0)); });
  return sizes;
}

TransformerConfig transformer_config(const Sizes& sizes, double dropout) {
  return {.source_vocabulary = sizes.src_vocab,
          .target_vocabulary = sizes.tgt_vocab,
          .d_model = sizes.d_model,
          .d_ff = sizes.d_ff,
          .heads = sizes.heads,
          .encoder_layers = sizes.layers,
          .decoder_layers = sizes.layers,
          .dropout = dropout,
          .shared_embeddings = sizes.tie,
          .tied_output = sizes.tie,
          .output_bias = !sizes.tie};
}

nlohmann::ordered_json to_json(const Sizes& sizes) {
  nlohmann::ordered_json json;
  for (const SizeField& field : size_fields) json[field.name] = sizes.*field.member;
  json["tie"] = sizes.tie;
  return json;
}

}  // namespace xf::bench
