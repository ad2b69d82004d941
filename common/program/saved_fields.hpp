#pragma once

#include <string>
#include <vector>

#include "io/config.hpp"

namespace CLI {
class App;
}

namespace xf {

// For a resumed run, which keeps its options. Every field of `now` gets its value from `before`
// (the saved config), unless its flag was given to `app`. Flags that are given again must agree,
// except the limits --updates, --epochs and --minutes, and --average, which does not affect the
// training steps. Otherwise throws UserError naming the flag and the file at `path`, where the
// options come from.
void take_saved(const CLI::App& app, const std::vector<ConfigField>& now,
                const std::vector<ConfigField>& before, const std::string& path);

// "--heads: out/checkpoint.safetensors was made with another value"
UserError other_value(const std::string& flag, const std::string& path);

// Whether the flag was given to this (sub)command or to the program.
bool is_given(const CLI::App& app, const std::string& flag);

}  // namespace xf
