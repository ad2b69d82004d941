#include <CLI/App.hpp>
#include <iostream>
#include <memory>

#include "05_encoder/program/commands.hpp"
#include "05_encoder/program/sentence_encoder.hpp"
#include "io/files.hpp"
#include "seeing/head_measures.hpp"
#include "seeing/heads_page.hpp"
#include "seeing/heads_table.hpp"
#include "speech/terminal.hpp"

namespace xf::lesson_05 {

namespace {

struct HeadsFlags {
  std::string model, text, file;
};

// The attention of all layers over one text, each (1, H, S, S).
std::vector<Tensor> weights_of(const PublishedEncoder& encoder, const std::vector<int>& ids) {
  const Recorder recorder({"weights"});
  encoder.states({ids});
  return recorder.all("layers.*.self_attention.weights");
}

std::vector<HeadMap> measured_heads(const std::vector<Tensor>& layers,
                                    const std::vector<int>& ids) {
  std::vector<HeadMap> maps = {{"first", {}}, {"last", {}},   {"previous", {}},
                               {"next", {}},  {"itself", {}}, {"same", {}}};
  const std::size_t one = ids.size() * ids.size();
  for (const Tensor& layer : layers) {
    const Values weights = layer.values();
    for (std::size_t at = 0; at < weights.size(); at += one) {
      const auto m = measured(std::span(weights.data() + at, one), ids, Sight::both);
      const double numbers[] = {m.first, m.last, m.previous, m.next, m.itself, m.same};
      for (std::size_t i = 0; i < maps.size(); ++i) maps[i].values.push_back(numbers[i]);
    }
  }
  return maps;
}

// The text, or as many of its tokens as the page can show.
SeenText shown(const PublishedEncoder& encoder, std::vector<int> ids, int most) {
  if (std::ssize(ids) > most) ids.erase(ids.begin() + most - 1, ids.end() - 1);  // [SEP] stays
  std::vector<std::string> tokens;
  for (const int id : ids) tokens.emplace_back(encoder.tokenizer.token(id));
  return {"text", tokens, tokens, weights_of(encoder, ids), false};
}

int run_heads(const HeadsFlags& f, const CommonOptions& common) {
  const std::string given = f.file.empty() ? "--text" : f.file;
  const std::string text = f.file.empty() ? f.text : read_file(f.file);
  const PublishedEncoder encoder = PublishedEncoder::load(f.model);
  const std::vector<int> ids = encoder.tokens(text, given);
  if (ids.size() < 6) throw UserError("{}: fewer than six tokens", given);
  const int layers = static_cast<int>(encoder.model.encoder.layers.size()),
            heads = encoder.model.encoder.layers[0].self_attention.heads;
  HeadsView view{"encoder", layers, heads, measured_heads(weights_of(encoder, ids), ids), {}};
  view.texts.push_back(shown(encoder, ids, tokens_that_fit(2 * layers, heads)));
  std::cout << heads_table(view, page_width()) << '\n';
  const HeadsPage page{"Heads: " + f.model, text, {std::move(view)}};
  const std::string path = output_path(common, "heads.html");
  write_file_atomically(path, heads_html(page));
  std::cout << path << '\n';
  return 0;
}

}  // namespace

Command add_heads(CLI::App& app) {
  auto f = std::make_shared<HeadsFlags>();
  add_encoder_flag(app, f->model);
  auto* const here = app.add_option("--text", f->text, "the text to read");
  app.add_option("--text-file", f->file, "a file with the text")->type_name("FILE")->excludes(here);
  return [f](const CommonOptions& common) { return run_heads(*f, common); };
}

}  // namespace xf::lesson_05
