#pragma once

#include <memory>
#include <string>

namespace CLI {
class App;
}

namespace xf {

// What `export` and `import` are told: --model and --state, the parameters as another program names
// them (io/state_file.hpp).
struct StateFlags {
  std::string model, state;
};
std::shared_ptr<StateFlags> add_state_flags(CLI::App& app);

}  // namespace xf
