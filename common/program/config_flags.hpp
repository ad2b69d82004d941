#pragma once

#include <memory>
#include <string>
#include <vector>

#include "io/config.hpp"
#include "ops/matmul/decoding_session.hpp"

namespace CLI {
class App;
}

namespace xf {

// Turns every field into a flag that writes to it, with the current value as the default:
// "d_model" becomes --d-model, a bool becomes --name and --no-name. A list may hold the fields of
// two configs in one file.
void add_field_flags(CLI::App& app, const std::vector<ConfigField>& fields);

// The same for the fields of a config.
template <class Config>
void add_flags(CLI::App& app, Config& config) {
  add_field_flags(app, config_fields(config));
}

// A flag that takes the name of a kind.
void add_kind_flag(CLI::App& app, const std::string& flag, const KindField& kind,
                   const std::string& help);

// --precision float32|int8: how a DecodingSession stores the weights.
void add_precision_flag(CLI::App& app, WeightPrecision& precision);

// The flags of `export` and `import`: --model, and --state, a file with the parameters under
// another program's names (io/state_file.hpp).
struct StateFlags {
  std::string model, state;
};
std::shared_ptr<StateFlags> add_state_flags(CLI::App& app);
// `import` changes the directory at --model. Throws UserError if --out was given, too.
void refuse_out(const CLI::App& app);

}  // namespace xf
