#include "program/config_flags.hpp"

#include <CLI/App.hpp>

#include "program/program.hpp"
#include "program/saved_fields.hpp"

namespace xf {

namespace {

struct AddFlag {
  CLI::App& app;
  const std::string& name;  // with its dashes
  const std::string& help;

  template <class Value>
  void operator()(Value* value) const {
    CLI::Option* option = app.add_option(name, *value, help)->capture_default_str();
    if constexpr (std::is_floating_point_v<Value>) option->check(finite_problem<Value>);
  }
  void operator()(bool* value) const {
    app.add_flag(name + ",!--no-" + name.substr(2), *value,
                 help + (*value ? " (default: on)" : " (default: off)"));
  }
  void operator()(const KindField& kind) const { add_kind_flag(app, name, kind, help); }
};

}  // namespace

void add_kind_flag(CLI::App& app, const std::string& flag, const KindField& kind,
                   const std::string& help) {
  const auto take = [kind, flag](const std::string& text) {
    if (const Phrase problem = kind.take(text); !problem.empty())
      throw CLI::ValidationError(flag, noted(problem));
  };
  CLI::Option* option = app.add_option_function<std::string>(flag, take, help);
  if (kind.get()) option->default_str(kind.name());
}

void add_precision_flag(CLI::App& app, WeightPrecision& precision) {
  add_kind_flag(app, "--precision", &precision,
                "weights on the processor: float32, or int8, a quarter of the memory to read at "
                "each step");
}

void add_field_flags(CLI::App& app, const std::vector<ConfigField>& fields) {
  for (const ConfigField& field : fields) {
    const std::string name = flag_name(field.name);
    std::visit(AddFlag{app, name, field.help}, field.value);
  }
}

std::shared_ptr<StateFlags> add_state_flags(CLI::App& app) {
  auto f = std::make_shared<StateFlags>();
  app.add_option("--model", f->model, "model directory, as written by `train`")->required();
  app.add_option("--state", f->state, "a state_dict in a .safetensors file")->required();
  return f;
}

void refuse_out(const CLI::App& app) {
  if (is_given(app, "--out"))
    throw UserError("--out: import writes into the directory at --model; copy it first");
}

}  // namespace xf
