#include <CLI/App.hpp>
#include <iostream>
#include <memory>

#include "09_since_2017/experiments/ablation.hpp"
#include "09_since_2017/program/commands.hpp"
#include "io/files.hpp"
#include "program/config_flags.hpp"
#include "speech/show.hpp"

namespace xf::since_2017 {

namespace {

struct AblationFlags {
  std::string text, valid;
  AblationOptions options;
};

int ablate(const AblationFlags& f, const CommonOptions& common) {
  const AblationOptions& o = f.options;
  as_flags([&] { check_options(o); });
  const auto train_source = language::text_source(f.text);
  const Tokenizer tokenizer =
      language::train_tokenizer(TokenizerKind::character, train_source, 0, 1);
  const auto train = language::encode_text(tokenizer, train_source);
  const auto valid = language::encode_text(tokenizer, language::text_source(f.valid));
  language::check_length(train, o.batch, o.segment);
  language::check_length(valid, 1, o.segment, "--segment");
  make_directory(common.out);

  catch_interrupts();
  Ablation ablation;
  as_flags([&] { ablation.variants = variants(o, tokenizer.size()); });
  for (int i = 0; i < o.seeds; ++i) {
    const std::uint64_t seed = common.seed + static_cast<std::uint64_t>(i);
    ablation.curves.push_back(train_side_by_side(ablation.variants, o, train, valid, seed));
    if (ablation.curves.back().empty()) {
      std::cout << "stopped; nothing was written" << std::endl;
      return 130;
    }
    for (std::size_t v = 0; v < ablation.variants.size(); ++v)
      for (const Point& p : ablation.curves.back()[v])
        std::cout << "seed " << seed << "  " << ablation.variants[v].name << "  update "
                  << p.updates << "  " << fixed(p.seconds, 1) << " s  loss " << fixed(p.nats)
                  << std::endl;
  }
  report(ablation, common.seed, common.out);
  return 0;
}

}  // namespace

Command add_ablation(CLI::App& app) {
  auto f = std::make_shared<AblationFlags>();
  app.add_option("--text", f->text, "training text")->type_name("FILE")->required();
  app.add_option("--valid", f->valid, "the text on which the models are compared")
      ->type_name("FILE")
      ->required();
  add_flags(app, f->options);
  return [f](const CommonOptions& common) { return ablate(*f, common); };
}

}  // namespace xf::since_2017
