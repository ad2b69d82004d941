#include <CLI/App.hpp>
#include <iostream>
#include <memory>

#include "07_transformer/program/commands.hpp"
#include "07_transformer/program/state_dict.hpp"
#include "07_transformer/program/translator.hpp"
#include "io/safetensors.hpp"

namespace xf {

namespace {

struct StateFlags {
  std::string model, state;
};

std::shared_ptr<StateFlags> state_flags(CLI::App& app) {
  auto f = std::make_shared<StateFlags>();
  app.add_option("--model", f->model, "model directory, as written by `train`")->required();
  app.add_option("--state", f->state, "a state_dict in a .safetensors file")->required();
  return f;
}

int run_export(const StateFlags& f) {
  Translator translator = load_translator(f.model);
  save_state(f.state, parameters(translator.model));
  std::cout << f.state << '\n';
  return 0;
}

int run_import(const StateFlags& f) {
  const std::string path = weights_path(f.model);
  Translator translator = load_description(f.model, f.state);
  load_state(f.state, parameters(translator.model));
  save_parameters(path, parameters(translator.model));
  std::cout << path << '\n';
  return 0;
}

}  // namespace

Command add_export(CLI::App& app) {
  const auto f = state_flags(app);
  return [f](const CommonOptions&) { return run_export(*f); };
}

Command add_import(CLI::App& app) {
  const auto f = state_flags(app);
  return [f](const CommonOptions&) { return run_import(*f); };
}

}  // namespace xf
