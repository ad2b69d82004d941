#include <CLI/App.hpp>
#include <iostream>
#include <memory>
#include <utility>

#include "08_transformer_xl/program/maps.hpp"
#include "09_since_2017/program/commands.hpp"
#include "09_since_2017/program/read_text.hpp"
#include "io/files.hpp"
#include "ops/shape/shape_ops.hpp"

namespace xf::since_2017 {

namespace {

struct AttendFlags {
  std::string model, text;
  bool everything = false;
};

// Reshapes R T rows of G groups to T rows of G R heads.   x: (1, G, R*T, S)   returns (1, H, T, S)
Tensor of_heads(const Tensor& x, int heads, int length) {
  return reshape(x, {1, heads, length, x.size(3)});
}

// The tensor of a group, once for each of its heads.   x: (1, G, S, Dk)   returns (1, H, S, Dk)
Tensor for_each_head(const Tensor& x, int heads) {
  const int shared = heads / x.size(1);
  const Values from = x.values();
  const auto one = static_cast<std::ptrdiff_t>(from.size()) / x.size(1);
  Tensor all = Tensor::empty({1, heads, x.size(2), x.size(3)});
  for (int head = 0; head < heads; ++head)
    copy_into(all, std::span(from.data() + head / shared * one, static_cast<std::size_t>(one)),
              head * one);
  return all;
}

int run_attend(const AttendFlags& f, const CommonOptions& common) {
  const ReadText read(f.model, f.text, "--text");
  read.check_length("--text");
  const auto length = static_cast<int>(read.ids.size());
  const int heads = read.published.model.config.heads;
  const auto spelled = [&](int id) { return read.spelled(id); };
  AttentionView view{.kind = AttentionKind::decoder,
                     .queries = read.tokens(),
                     .keys = read.tokens(),
                     .checkpoints = {{}},
                     .reach = causal_reach(length)};
  const Recorder recorder({"scores", "weights", "values"});
  const Tensor logits = read.published.model.logits(Ids({1, length}, read.ids));
  view.next = language::likeliest_next(logits, spelled);
  const auto weights = recorder.all("weights"), scores = recorder.all("scores"),
             values = recorder.all("values");
  for (std::size_t layer = 0; layer < weights.size(); ++layer)
    view.checkpoints[0].push_back({of_heads(weights[layer], heads, length),
                                   of_heads(scores[layer], heads, length),
                                   for_each_head(values[layer], heads)});
  Explorer page{.title = "Attention: " + f.model,
                .sentence = {f.text},
                .checkpoints = {"model"},
                .views = {std::move(view)}};
  const std::string path = output_path(common, "attention.html");
  write_explorer(std::move(page), path, f.everything);
  std::cout << path << '\n';
  return 0;
}

}  // namespace

void TextFlags::add(CLI::App& app) {
  add_published_model_flag(app, model);
  auto* const here = app.add_option("--text", text, "the text to read");
  app.add_option("--text-file", file, "a file with the text")->type_name("FILE")->excludes(here);
}

std::pair<ReadText, int> TextFlags::read() const {
  ReadText read(model, file.empty() ? text : read_file(file), given());
  const auto all = static_cast<int>(read.ids.size());
  read.ids.resize(static_cast<std::size_t>(std::min(all, max_tokens)));
  read.check_length(given());
  return {std::move(read), all};
}

Command add_attend(CLI::App& app) {
  auto f = std::make_shared<AttendFlags>();
  add_published_model_flag(app, f->model);
  app.add_option("--text", f->text, "the text to read")->required();
  app.add_flag("--everything", f->everything, "leave nothing out, however large the page gets");
  return [f](const CommonOptions& common) { return run_attend(*f, common); };
}

}  // namespace xf::since_2017
