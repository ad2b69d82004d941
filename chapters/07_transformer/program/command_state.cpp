#include <CLI/App.hpp>
#include <iostream>
#include <memory>

#include "07_transformer/program/commands.hpp"
#include "07_transformer/program/state_dict.hpp"
#include "07_transformer/program/translator.hpp"
#include "io/files.hpp"
#include "io/safetensors.hpp"
#include "ops/shape/shape_ops.hpp"
#include "program/config_flags.hpp"
#include "train/model_directory.hpp"

namespace xf {

namespace {

// The layout of the sources that a model was trained on.
struct SourceFrame {
  bool begins = false;
  int length = 0;
};

// The model for sources of this layout. Their padding becomes an ordinary token, because <pad> is
// masked here.
Translator framed(const Translator& plain, const SourceFrame& frame, const std::string& directory) {
  TransformerConfig config = plain.model.config;
  config.source_begins = frame.begins;
  Tokenizer source = plain.source_tokenizer;
  if (frame.length > 0) {
    if (config.source_length > 0)
      throw UserError("--source-length: the model in this directory already has one");
    if (config.shared_embeddings || source.kind() == TokenizerKind::bpe)
      throw UserError(
          "--source-length: needs a separate source vocabulary, of words or characters");
    const std::string path = directory + "/" + Tokenizer::file_name("source", source.kind());
    source = Tokenizer::parse(source.kind(), read_file(path) + filler + "\n", path);
    config.source_length = frame.length;
  }
  return make_translator(config, std::move(source), plain.target_tokenizer, Random::none());
}

}  // namespace

Command add_export(CLI::App& app) {
  return [f = add_state_flags(app)](const CommonOptions&) {
    Translator translator = load_translator(f->model);
    refuse_own_file(f->state, f->model);
    save_state(f->state, state_entries(parameters(translator.model)));
    std::cout << f->state << '\n';
    return 0;
  };
}

Command add_import(CLI::App& app) {
  auto frame = std::make_shared<SourceFrame>();
  app.add_flag("--source-begins", frame->begins, "the model was trained with <bos> before sources");
  integer_flag(app, "--source-length", frame->length,
               "and with sources padded to this many tokens by <pad>, which it sees", 0);
  return [f = add_state_flags(app), frame, &app](const CommonOptions&) {
    refuse_out(app);
    const std::string path = weights_path(f->model);
    Translator translator = load_description(f->model, f->state);
    const int known = translator.source_tokenizer.size();
    if (frame->begins || frame->length > 0) translator = framed(translator, *frame, f->model);
    Tensor& source = translator.model.source_embedding.weight;
    std::vector<StateEntry> entries = state_entries(parameters(translator.model));
    for (StateEntry& entry : entries)
      if (entry.blocks[0].tensor == &source) entry.blocks[0].rows = known;
    load_state(f->state, entries);
    if (source.size(0) > known)  // <fill> takes the vector of <pad>
      copy_into(source, slice(source, 0, pad_id, 1).values(),
                std::ptrdiff_t(known) * source.size(1));
    save_parameters(path, parameters(translator.model));
    if (frame->begins || frame->length > 0) save_description(f->model, translator);
    std::cout << path << '\n';
    return 0;
  };
}

}  // namespace xf
