#include "program/state_flags.hpp"

#include <CLI/App.hpp>

namespace xf {

std::shared_ptr<StateFlags> add_state_flags(CLI::App& app) {
  auto f = std::make_shared<StateFlags>();
  app.add_option("--model", f->model, "model directory, as written by `train`")->required();
  app.add_option("--state", f->state, "a state_dict in a .safetensors file")->required();
  return f;
}

}  // namespace xf
