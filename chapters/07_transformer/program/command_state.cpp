#include <iostream>

#include "07_transformer/program/commands.hpp"
#include "07_transformer/program/state_dict.hpp"
#include "07_transformer/program/translator.hpp"
#include "io/safetensors.hpp"
#include "program/config_flags.hpp"

namespace xf {

Command add_export(CLI::App& app) {
  return [f = add_state_flags(app)](const CommonOptions&) {
    Translator translator = load_translator(f->model);
    save_state(f->state, state_entries(parameters(translator.model)));
    std::cout << f->state << '\n';
    return 0;
  };
}

Command add_import(CLI::App& app) {
  return [f = add_state_flags(app)](const CommonOptions&) {
    const std::string path = weights_path(f->model);
    Translator translator = load_description(f->model, f->state);
    load_state(f->state, state_entries(parameters(translator.model)));
    save_parameters(path, parameters(translator.model));
    std::cout << path << '\n';
    return 0;
  };
}

}  // namespace xf
