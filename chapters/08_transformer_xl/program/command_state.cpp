#include <iostream>

#include "08_transformer_xl/program/commands.hpp"
#include "08_transformer_xl/program/language_model.hpp"
#include "08_transformer_xl/program/state_dict.hpp"
#include "io/safetensors.hpp"
#include "program/config_flags.hpp"
#include "train/model_directory.hpp"

namespace xf::language {

namespace {

// The entries of a model whose config is in the directory.
std::vector<StateEntry> entries_of(const std::string& directory, LanguageModel& language) {
  return as_keys_of(config_path(directory), [&] { return state_entries(language.model); });
}

}  // namespace

Command add_export(CLI::App& app) {
  return [f = add_state_flags(app)](const CommonOptions&) {
    LanguageModel language = load_model(f->model, {}, 1);
    refuse_own_file(f->state, f->model);
    save_state(f->state, entries_of(f->model, language));
    std::cout << f->state << '\n';
    return 0;
  };
}

Command add_import(CLI::App& app) {
  return [f = add_state_flags(app), &app](const CommonOptions&) {
    refuse_out(app);
    LanguageModel language = load_description(f->model, f->state);
    load_state(f->state, entries_of(f->model, language));
    save_parameters(weights_path(f->model), parameters(language.model));
    std::cout << weights_path(f->model) << '\n';
    return 0;
  };
}

}  // namespace xf::language
